#include "dse/task/certificate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pimdse::dse::task {

std::string statement_of(Certificate const& certificate, std::vector<std::string> const& objectives) {
    std::vector<std::string> calibrated;
    for (std::size_t i = 0; i < objectives.size(); ++i) {
        if (certificate.grounds[i].kind != models::Bound::proved) calibrated.push_back(objectives[i]);
    }
    std::string const grounds =
        calibrated.empty() ? "" : fmt::format("if the calibrated lows of {} hold", fmt::join(calibrated, ", "));
    std::string const open =
        certificate.open.empty() ? "" : fmt::format("but for {} open points", certificate.open.size());
    if (open.empty() && grounds.empty()) return "front exact (proved lows)";
    return fmt::format("front exact {}{}{}", open, !open.empty() && !grounds.empty() ? ", " : "", grounds);
}

std::vector<std::string> objective_names(Columns const& columns) {
    std::vector<std::string> names;
    for (auto const& objective : columns.objectives) names.push_back(columns.metrics.at(objective.metric).name);
    return names;
}

}  // namespace pimdse::dse::task
