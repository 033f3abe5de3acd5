#include "dse/explain/margin.hpp"

#include <cmath>
#include <span>

namespace pimdse::dse::explain {

std::vector<Margin> margins_of(space::Machine const& machine, models::Point point, models::Outcome const& outcome) {
    auto const* metrics = std::get_if<models::Metrics>(&outcome);
    std::span<models::Estimate const> const answers =
        metrics == nullptr ? std::span<models::Estimate const>{} : *metrics;
    std::vector<Margin> margins;
    for (auto const& constraint : machine.constraints) {
        auto const& condition = constraint.expression;
        bool const known = constraint.before || metrics != nullptr;
        margins.push_back({constraint.name, condition.text(), known, known && condition.holds(point, answers),
                           known ? condition.slack(point, answers) : std::nan("")});
    }
    return margins;
}

}  // namespace pimdse::dse::explain
