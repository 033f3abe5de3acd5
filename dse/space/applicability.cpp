#include "dse/space/applicability.hpp"

#include "models/contract/parameter_text.hpp"

#include <fmt/format.h>
#include <cstdint>

namespace pimdse::dse::space {
namespace {

/// What a parameter takes where a need is looked at: one value, or those of an axis.
template <class Met>
bool any_of_axis(Axis const& axis, Met const& met) {
    for (std::uint64_t i = 0; i < axis.size(); ++i) {
        if (met(axis.at(i))) return true;
    }
    return false;
}

std::string sentence(std::string_view metric, models::Need const& need, std::string const& here,
                     std::string const& scenario) {
    return fmt::format("{} does not apply{}: it needs {}{}", metric, scenario.empty() ? "" : " in scenario " + scenario,
                       models::text_of(need), here.empty() ? "" : fmt::format(" ({})", here));
}

/// The needs of a metric, in the scenario it is of or in all of them; `met(need, parameter, scenario)`, where the
/// scenario is null if there are none. The first sentence about one that is not met.
template <class Met, class Here>
std::string first_unmet(Machine const& machine, std::string_view metric, Met const& met, Here const& here) {
    auto const at = metric.find('@');
    auto const own = metric.substr(0, at);
    auto const list = machine.scenarios.empty() ? machine.architecture->metrics() : machine.scenarios.metrics();
    int const index = models::find_metric(list, own);
    if (index < 0) return "";
    auto const& needs = list[static_cast<std::size_t>(index)].needs;
    auto const in = [&](Scenario const* scenario) -> std::string {
        for (auto const& need : needs) {
            auto const parameter =
                static_cast<std::size_t>(models::find_parameter(machine.parameters(), need.parameter));
            if (!met(need, parameter, scenario))
                return sentence(own, need, here(parameter, scenario),
                                scenario == nullptr ? "" : scenario->written.name);
        }
        return "";
    };
    if (machine.scenarios.empty()) return in(nullptr);
    for (auto const& scenario : machine.scenarios.list()) {
        if (at != std::string_view::npos && metric.substr(at + 1) != scenario.written.name) continue;
        if (auto why = in(&scenario); !why.empty()) return why;
    }
    return "";
}

/// The value that a scenario asks of a parameter; null if none does.
models::Value const* asked_value(Scenario const* scenario, std::size_t parameter) {
    if (scenario == nullptr) return nullptr;
    for (auto const& [asked, value] : scenario->asks) {
        if (asked == parameter) return &value;
    }
    return nullptr;
}

std::string shown(Machine const& machine, std::size_t parameter, models::Value const& value) {
    auto const& p = machine.parameters()[parameter];
    return fmt::format("here {} = {}", p.name, models::print_value(p, value));
}

}  // namespace

std::string why_never(Machine const& machine, std::string_view metric) {
    return first_unmet(
        machine, metric,
        [&](models::Need const& need, std::size_t at, Scenario const* scenario) {
            auto const& parameter = machine.parameters()[at];
            if (auto const* asked = asked_value(scenario, at)) return models::is_met(need, parameter, *asked);
            return any_of_axis(machine.axes[at],
                               [&](models::Value const& value) { return models::is_met(need, parameter, value); });
        },
        [&](std::size_t at, Scenario const* scenario) {
            if (auto const* asked = asked_value(scenario, at)) return shown(machine, at, *asked);
            auto const& axis = machine.axes[at];
            return axis.size() == 1 ? shown(machine, at, axis.at(0)) : std::string();
        });
}

std::string why_not_here(Machine const& machine, std::string_view metric, models::Point point) {
    auto const value_of = [&](std::size_t at, Scenario const* scenario) {
        auto const* asked = asked_value(scenario, at);
        return asked != nullptr ? *asked : point[at];
    };
    return first_unmet(
        machine, metric,
        [&](models::Need const& need, std::size_t at, Scenario const* scenario) {
            return models::is_met(need, machine.parameters()[at], value_of(at, scenario));
        },
        [&](std::size_t at, Scenario const* scenario) { return shown(machine, at, value_of(at, scenario)); });
}

}  // namespace pimdse::dse::space
