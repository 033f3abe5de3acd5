#include "dse/strategy/coarse_corner.hpp"

#include "dse/space/asked_machine.hpp"
#include "dse/space/expression_bounds.hpp"
#include "dse/space/space.hpp"

#include <algorithm>
#include <vector>

namespace pimdse::dse::strategy {
namespace {

bool names_condition_on_metrics(space::Machine const& machine, std::string const& rule) {
    return std::ranges::any_of(machine.constraints,
                               [&](auto const& constraint) { return !constraint.before && constraint.name == rule; });
}

}  // namespace

std::optional<ladder::Corner> coarse_corner(space::Space const& space, task::PointId id) {
    std::size_t const at = space.machine_of(id);
    auto const& machine = space.machines()[at];
    std::vector<models::Value> point;
    space.decode(id, point);
    auto outcome = space::asked(machine, point, models::Fidelity::analytic);
    if (std::holds_alternative<models::Infeasible>(outcome)) return std::nullopt;
    auto* metrics = std::get_if<models::Metrics>(&outcome);
    if (metrics == nullptr) return ladder::unknown_corner();
    bool const hopeless = std::ranges::any_of(machine.constraints, [&](auto const& constraint) {
        return !constraint.before && space::surely_fails(constraint.expression, point, *metrics);
    });
    if (hopeless) return std::nullopt;
    return ladder::corner_of(space.placed(at, std::move(*metrics)), space.objectives());
}

std::optional<ladder::Corner> coarse_corner(space::Space const& space, task::Answer const& analytic) {
    if (auto const* metrics = std::get_if<models::Metrics>(&analytic.outcome))
        return ladder::corner_of(*metrics, space.objectives());
    auto const* infeasible = std::get_if<models::Infeasible>(&analytic.outcome);
    if (infeasible == nullptr) return ladder::unknown_corner();
    auto const& machine = space.machines()[space.machine_of(analytic.task.point)];
    if (!names_condition_on_metrics(machine, infeasible->rule)) return std::nullopt;
    return coarse_corner(space, analytic.task.point);  // its metrics are no part of the answer
}

}  // namespace pimdse::dse::strategy
