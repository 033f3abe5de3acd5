#include "dse/space/written_scenario.hpp"

#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::dse::space {
namespace {

using models::Architecture;
using models::Parameters;

std::string refusal_of(Architecture const& architecture, std::string const& key, std::string const& value) {
    for (auto const& [name, served] : architecture.workload.only) {
        if (name != key) continue;
        return served == value ? ""
                               : fmt::format("{} serves {} = {} only, not {}", architecture.name, key, served, value);
    }
    return fmt::format("{} does not know what {} = {} asks", architecture.name, key, value);
}

std::size_t parameter_named(Architecture const& architecture, Parameters const& parameters, std::string_view name) {
    int const index = models::find_parameter(parameters, name);
    if (index >= 0) return static_cast<std::size_t>(index);
    std::vector<std::string> names;
    for (auto const& parameter : parameters) names.push_back(parameter.name);
    throw sim::InputError(
        fmt::format("unknown parameter '{}' of {}.{}", name, architecture.name, sim::suggestion(name, names)));
}

bool asks(Scenario const& scenario, std::size_t parameter) {
    return std::any_of(scenario.asks.begin(), scenario.asks.end(),
                       [&](auto const& ask) { return ask.first == parameter; });
}

using Changes = std::vector<std::pair<std::size_t, models::Value>>;

Changes changes_in(Baseline::Settings const& settings, Architecture const& architecture, Parameters& parameters,
                   std::vector<Scenario> const& scenarios) {
    Changes changes;
    for (auto const& [name, text] : settings) {
        auto const at = parameter_named(architecture, parameters, name);
        for (auto const& scenario : scenarios) {
            if (asks(scenario, at))
                throw sim::InputError(fmt::format("{} is what the scenarios ask", parameters[at].name));
        }
        changes.emplace_back(at, models::read_value(parameters[at], text));
    }
    return changes;
}

void check(Baseline const& baseline, std::vector<Scenario> const& asked) {
    for (std::size_t s = 0; s < asked.size(); ++s) {
        auto const outcome = baseline.outcome(s, {}, {}, models::Fidelity::analytic);
        if (auto const* infeasible = std::get_if<models::Infeasible>(&outcome))
            throw sim::InputError(fmt::format("it does not serve {}: {}", asked[s].written.name, infeasible->reason));
        if (auto const* defect = std::get_if<models::Defect>(&outcome)) throw sim::InputError(defect->what);
    }
}

}  // namespace

Scenario scenario_of(WrittenScenario work, Architecture const& architecture, Parameters& parameters) {
    Scenario scenario{std::move(work), {}, ""};
    for (auto const& [key, value] : scenario.written.keys) {
        int const index = models::find_parameter(parameters, key);
        if (index < 0) {
            if (scenario.refusal.empty()) scenario.refusal = refusal_of(architecture, key, value);
            continue;
        }
        auto const at = static_cast<std::size_t>(index);
        scenario.asks.emplace_back(at, models::read_value(parameters[at], value));
    }
    for (auto const& [name, value] : architecture.workload.implied) {
        auto const at = parameter_named(architecture, parameters, name);
        if (!asks(scenario, at)) scenario.asks.emplace_back(at, models::read_value(parameters[at], value));
    }
    return scenario;
}

std::shared_ptr<Baseline const> one_design(Architecture const& architecture, Baseline::Settings settings,
                                           std::vector<Scenario> const& scenarios) {
    auto parameters = architecture.parameters();
    std::vector<Scenario> asked;
    for (auto const& scenario : scenarios) {
        asked.push_back(scenario_of(scenario.written, architecture, parameters));
        if (!asked.back().refusal.empty()) throw sim::InputError(asked.back().refusal);
    }
    auto const changes = changes_in(settings, architecture, parameters, asked);
    Baseline::Parts parts;
    parts.architecture = &architecture;
    parts.settings = std::move(settings);
    for (auto const& scenario : asked) {
        auto point = models::default_point(parameters);
        for (auto const& [at, value] : changes) point[at] = value;
        for (auto const& [at, value] : scenario.asks) point[at] = value;
        parts.points.push_back(std::move(point));
    }
    parts.inputs = models::prepare(architecture, std::move(parameters));
    auto baseline = std::make_shared<Baseline const>(std::move(parts));
    check(*baseline, asked);
    return baseline;
}

std::shared_ptr<Baseline const> design_itself(Architecture const& architecture, Baseline::Settings settings,
                                              Parameters& parameters, std::vector<Scenario> const& scenarios) {
    if (settings.empty()) throw sim::InputError("the design itself needs something that is otherwise");
    Baseline::Parts parts;
    parts.architecture = &architecture;
    parts.changes = changes_in(settings, architecture, parameters, scenarios);
    parts.settings = std::move(settings);
    return std::make_shared<Baseline const>(std::move(parts));
}

}  // namespace pimdse::dse::space
