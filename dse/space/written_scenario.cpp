#include "dse/space/written_scenario.hpp"

#include "models/contract/common_parameters.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

namespace pimdse::dse::space {
namespace {

using models::Architecture;
using models::Parameters;

constexpr std::size_t longest_name = 64;

std::string refusal_of(Architecture const& architecture, std::string const& key, std::string const& value) {
    for (auto const& [name, served] : architecture.workload.only) {
        if (name != key) continue;
        return served == value ? ""
                               : fmt::format("{} serves {} = {} only, not {}", architecture.name, key, served, value);
    }
    return fmt::format("{} does not know what {} = {} asks", architecture.name, key, value);
}

/// bit
double least_precision(std::string const& text) {
    constexpr std::int64_t most = 64;
    std::int64_t bits = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
    if (error != std::errc{} || end != text.data() + text.size() || bits < 1 || bits > most)
        throw sim::InputError(fmt::format("precision = {} is no number of bits, 1 to {}", text, most));
    return static_cast<double>(bits);
}

bool asks_a_model(WrittenScenario const& work) {
    return std::ranges::any_of(work.keys, [](auto const& key) { return key.first == "llm"; });
}

std::size_t parameter_named(Architecture const& architecture, Parameters const& parameters, std::string_view name) {
    int const index = models::find_parameter(parameters, name);
    if (index >= 0) return static_cast<std::size_t>(index);
    std::vector<std::string> names;
    for (auto const& parameter : parameters) names.push_back(parameter.name);
    throw sim::InputError(
        fmt::format("unknown parameter '{}' of {}.{}", name, architecture.name, sim::suggestion(name, names)));
}

using Changes = std::vector<std::pair<std::size_t, models::Value>>;

Changes changes_in(Baseline::Settings const& settings, Architecture const& architecture, Parameters& parameters,
                   std::vector<Scenario> const& scenarios) {
    Changes changes;
    for (auto const& [name, text] : settings) {
        auto const at = parameter_named(architecture, parameters, name);
        for (auto const& scenario : scenarios) {
            if (scenario.decides(at))
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

bool is_name(std::string_view name) {
    auto const fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
    return !name.empty() && name.size() <= longest_name && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
           std::all_of(name.begin(), name.end(), fits);
}

}  // namespace

std::vector<std::string> mistakes_in(std::vector<Scenario> const& scenarios) {
    std::vector<std::string> mistakes;
    std::set<std::string_view> names;
    for (auto const& scenario : scenarios) {
        auto const& [name, weight, keys] = scenario.written;
        if (!is_name(name))
            mistakes.push_back(fmt::format(
                "'{}' is no name of a scenario (letters, digits, '_', '-' and '.', at most {})", name, longest_name));
        if (!names.insert(name).second) mistakes.push_back(fmt::format("there are two scenarios '{}'", name));
        if (!(weight > 0.0) || !std::isfinite(weight)) mistakes.emplace_back("a weight is above 0");
        std::set<std::string_view> known;
        for (auto const& [key, value] : keys) {
            if (!known.insert(key).second) mistakes.push_back(fmt::format("{} asks {} twice", name, key));
        }
    }
    return mistakes;
}

Scenario scenario_of(WrittenScenario work, Architecture const& architecture, Parameters& parameters) {
    Scenario scenario{std::move(work), {}, 0.0, ""};
    for (auto const& [key, value] : scenario.written.keys) {
        if (key == models::precision_key) {
            scenario.precision = least_precision(value);
            continue;
        }
        int const index = models::find_parameter(parameters, key);
        if (index < 0) {
            if (scenario.refusal.empty()) scenario.refusal = refusal_of(architecture, key, value);
            continue;
        }
        auto const at = static_cast<std::size_t>(index);
        scenario.asks.emplace_back(at, models::read_value(parameters[at], value));
    }
    for (auto const& [name, value] : architecture.workload.implied) {
        if (!asks_a_model(scenario.written)) break;
        auto const at = parameter_named(architecture, parameters, name);
        if (!scenario.decides(at)) scenario.asks.emplace_back(at, models::read_value(parameters[at], value));
    }
    return scenario;
}

std::shared_ptr<Baseline const> one_design(Architecture const& architecture, Baseline::Settings settings,
                                           std::vector<Scenario> const& scenarios,
                                           models::Assumptions const& assumptions) {
    auto parameters = architecture.parameters();
    models::set_common_defaults(parameters, assumptions);
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
    parts.inputs = models::prepare(architecture, std::move(parameters), models::ModelOptions("", assumptions));
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
