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
        bool const evaluated = constraint.before || metrics != nullptr;
        auto const truth = evaluated ? condition.truth(point, answers) : space::Truth::unknown;
        bool const known = truth != space::Truth::unknown;
        margins.push_back({constraint.name, condition.text(), known, truth == space::Truth::yes,
                           known ? condition.slack(point, answers) : std::nan(""),
                           known && metrics != nullptr ? space::crossings(condition, point, answers)
                                                       : std::vector<space::Crossing>{}});
    }
    return margins;
}

}  // namespace pimdse::dse::explain
