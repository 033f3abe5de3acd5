#include "dse/search/certificate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <cmath>

namespace pimdse::dse::search {
namespace {

std::uint64_t points_in(std::vector<std::uint32_t> const& extents, std::size_t axes) {
    std::uint64_t points = 0;
    for (std::size_t at = 0; axes > 0 && at + axes <= extents.size(); at += axes) {
        std::uint64_t box = 1;
        for (std::size_t a = 0; a < axes; ++a) box *= extents[at + a];
        points += box;
    }
    return points;
}

/// `bounds`: the words for lower bounds.
std::string statement_with(std::string_view bounds, Certificate const& certificate,
                           std::vector<std::string> const& objectives) {
    std::vector<std::string> calibrated;
    for (std::size_t i = 0; i < objectives.size(); ++i) {
        if (certificate.grounds[i].kind != models::Bound::proved) calibrated.push_back(objectives[i]);
    }
    std::string const grounds =
        calibrated.empty() ? "" : fmt::format("if the calibrated {} of {} hold", bounds, fmt::join(calibrated, ", "));
    std::string const open =
        certificate.open.empty() ? "" : fmt::format("but for {} open points", points_in(certificate).open);
    std::string const front =
        certificate.epsilon > 0.0 ? fmt::format("front within {:.6g} %", 100.0 * certificate.epsilon) : "front exact";
    if (open.empty() && grounds.empty()) return fmt::format("{} (proved {})", front, bounds);
    return fmt::format("{} {}{}{}", front, open, !open.empty() && !grounds.empty() ? ", " : "", grounds);
}

}  // namespace

std::string statement_of(Certificate const& certificate, std::vector<std::string> const& objectives) {
    return statement_with("lower bounds", certificate, objectives);
}

bool is_statement_of(std::string_view stored, Certificate const& certificate,
                     std::vector<std::string> const& objectives) {
    return stored == statement_of(certificate, objectives) ||
           stored == statement_with("lows", certificate, objectives);  // of older programs
}

std::string audit_text(Certificate const& certificate) {
    std::vector<std::string> parts;
    if (certificate.audited > 0) {
        std::string const share =
            certificate.audited_wrong == 0
                ? fmt::format(" (at 95 %, at most {:.2g} % of all are)", 300.0 / double(certificate.audited))
                : "";
        parts.push_back(
            fmt::format("{} of {} pruned points wrong{}", certificate.audited_wrong, certificate.audited, share));
    }
    if (certificate.audited_equal_keys > 0)
        parts.push_back(fmt::format("{} equal-key points simulated, all equal to their representatives",
                                    certificate.audited_equal_keys));
    return parts.empty() ? "" : fmt::format("audit: {}", fmt::join(parts, "; "));
}

std::string sensitivity_text(Certificate const& certificate) {
    std::vector<std::string> shares, runs;
    for (auto const& sensitivity : certificate.sensitivities) {
        shares.push_back(fmt::format("{:.6g}", 100.0 * sensitivity.share));
        runs.push_back(std::to_string(sensitivity.runs));
    }
    return shares.empty() ? ""
                          : fmt::format("lower bounds {} % lower would have cost {} more evaluations",
                                        fmt::join(shares, ", "), fmt::join(runs, ", "));
}

PointCounts points_in(Certificate const& certificate) {
    if (certificate.grids.empty()) return {certificate.pruned.size(), certificate.open.size(), certificate.infeasible};
    std::size_t const axes = certificate.grids.front().sizes.size();
    return {points_in(certificate.pruned_extents, axes), points_in(certificate.open_extents, axes),
            certificate.infeasible + points_in(certificate.refused_extents, axes)};
}

std::vector<std::string> objective_names(space::Columns const& columns) {
    std::vector<std::string> names;
    for (auto const& objective : columns.objectives) names.push_back(columns.metrics.at(objective.metric).name);
    return names;
}

std::string text_of(Standing const& standing) {
    auto text = fmt::format("pruned {}, in flight {}, open {}", standing.pruned, standing.in_flight, standing.open);
    if (std::isnan(standing.gap)) return text;
    return text + fmt::format(", gap {}{:.2f} %", standing.gap_is_rough ? "about " : "", 100.0 * standing.gap);
}

}  // namespace pimdse::dse::search
