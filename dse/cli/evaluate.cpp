#include "dse/cli/breakdown_text.hpp"
#include "dse/cli/flag_values.hpp"
#include "dse/cli/json_text.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/text_table.hpp"
#include "dse/cli/verb.hpp"
#include "dse/evaluate/evaluation.hpp"
#include "dse/explain/explanation_json.hpp"
#include "dse/space/search_names.hpp"
#include "dse/space/written_scenario.hpp"
#include "dse/store/storage_error.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/validation.hpp"
#include "models/find_architecture.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace pimdse::dse::cli {
namespace {

using nlohmann::ordered_json;

Manual const manual{"pimdse evaluate ARCH [--model M] [--set k=v]... [flags]",
                    "Evaluates one point: metrics with bounds, and where time, energy and area go. Parameters not "
                    "named have their defaults.",
                    "  pimdse evaluate umdam --model opt-6.7b --set input=128 --set baseline=relayout\n"
                    "prints the time to first token of the re-layout baseline and what it is made of.",
                    {"architecture"}};

struct Evaluated {
    models::Architecture const& architecture;
    models::Parameters parameters;
    models::MetricList table;  ///< of the architecture, or of all scenarios
    std::vector<models::Value> point;
    models::Fidelity fidelity;
    models::Outcome outcome;
    models::Breakdown breakdown;
};

/// As a person writes it, with its unit.
ordered_json written_value(models::Parameter const& parameter, models::Value const& value) {
    if (value.kind() == models::Kind::integer) return value.as_integer();
    if (value.kind() == models::Kind::flag) return value.as_flag();
    return models::print_value(parameter, value);
}

std::string_view status_of(models::Outcome const& outcome) {
    constexpr std::array<std::string_view, 3> names{"ok", "infeasible", "defect"};
    return names[outcome.index()];
}

ordered_json metrics_json(Evaluated const& e, models::Metrics const& metrics) {
    ordered_json all;
    auto const& table = e.table;
    for (std::size_t i = 0; i < table.size(); ++i) {
        all[table[i].name] = {{"value", metrics[i].value},
                              {"unit", table[i].unit},
                              {"low", metrics[i].low},
                              {"high", metrics[i].high},
                              {"bound", name_of(metrics[i].kinds)},
                              {"low_kind", name_of(metrics[i].kinds.low)},
                              {"high_kind", name_of(metrics[i].kinds.high)}};
    }
    return all;
}

void print_json(Evaluated const& e) {
    ordered_json text{{"architecture", e.architecture.name},
                      {"fidelity", models::name_of(e.fidelity)},
                      {"status", status_of(e.outcome)}};
    for (std::size_t i = 0; i < e.parameters.size(); ++i)
        text["point"][e.parameters[i].name] = written_value(e.parameters[i], e.point[i]);
    if (auto const* metrics = std::get_if<models::Metrics>(&e.outcome)) {
        text["metrics"] = metrics_json(e, *metrics);
        text["breakdown"] = explain::breakdown_json(e.breakdown);
    } else if (auto const* infeasible = std::get_if<models::Infeasible>(&e.outcome)) {
        text["rule"] = infeasible->rule;
        text["reason"] = infeasible->reason;
    } else {
        text["reason"] = std::get<models::Defect>(e.outcome).what;
    }
    std::cout << json_text(text) << "\n";
}

/// "proved", or what is behind either end where that differs.
std::string kinds_text(sim::BoundKinds kinds) {
    if (kinds.low == kinds.high) return std::string(name_of(kinds));
    return fmt::format("low {}, high {}", name_of(kinds.low), name_of(kinds.high));
}

std::string bound_text(models::Estimate const& estimate, std::string const& unit) {
    if (estimate.kinds == models::Bound::none) return "";
    if (estimate.low == estimate.high) return "exact";
    return fmt::format("{} .. {} ({})", sim::print_quantity(estimate.low, unit),
                       sim::print_quantity(estimate.high, unit), kinds_text(estimate.kinds));
}

TextTable metrics_table(Evaluated const& e, models::Metrics const& metrics, Format format) {
    auto const& table = e.table;
    TextTable text(format == Format::csv ? std::vector<std::string>{"metric", "value", "unit", "low", "high", "bound"}
                                         : std::vector<std::string>{"metric", "value", "bounds", "meaning"});
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (format == Format::csv) {
            text.add({table[i].name, fmt::format("{}", metrics[i].value), table[i].unit,
                      fmt::format("{}", metrics[i].low), fmt::format("{}", metrics[i].high),
                      std::string(name_of(metrics[i].kinds))});
        } else if (!std::isnan(metrics[i].value)) {
            text.add({table[i].name, sim::print_quantity(metrics[i].value, table[i].unit),
                      bound_text(metrics[i], table[i].unit), table[i].meaning});
        }
    }
    return text;
}

void print_text(Evaluated const& e, Format format) {
    if (auto const* metrics = std::get_if<models::Metrics>(&e.outcome)) {
        auto const table = metrics_table(e, *metrics, format);
        std::cout << (format == Format::csv ? table.csv() : table.text());
        if (format == Format::csv) return;
        std::cout << breakdown_text(e.breakdown);
    } else if (auto const* infeasible = std::get_if<models::Infeasible>(&e.outcome)) {
        std::cout << fmt::format("infeasible: {}: {}\n", infeasible->rule, infeasible->reason);
    } else {
        std::cout << fmt::format("defect: {}\n", std::get<models::Defect>(e.outcome).what);
    }
}

/// Chrome trace format: complete events in microseconds, one thread per unit in order of appearance. Viewers want
/// numbers for process and thread; metadata events name them.
void write_trace(std::string const& path, models::Trace const& trace, std::string_view process) {
    constexpr int pid = 1;
    std::map<std::string, int> threads;
    auto events = ordered_json::array();
    auto const name = [&](char const* what, int thread, std::string_view text) {
        events.push_back({{"name", what}, {"ph", "M"}, {"pid", pid}, {"tid", thread}, {"args", {{"name", text}}}});
    };
    name("process_name", 0, process);
    for (auto const& event : trace) {
        auto const [unit, is_new] = threads.emplace(event.unit, static_cast<int>(threads.size()) + 1);
        if (is_new) name("thread_name", unit->second, event.unit);
        events.push_back({{"name", event.what},
                          {"ph", "X"},
                          {"ts", event.start * 1e6},
                          {"dur", event.duration * 1e6},
                          {"pid", pid},
                          {"tid", unit->second}});
    }
    std::ofstream file(path);
    file << ordered_json{{"traceEvents", std::move(events)}}.dump() << "\n";
    if (!file.flush()) throw store::StorageError(path, "cannot be written");
}

/// As a run would answer; but what a person must put right, in a file or a setting, is no failure of ours here.
models::Outcome outcome_of(models::Architecture const& architecture, models::Inputs const& inputs, models::Point point,
                           models::Fidelity fidelity) {
    try {
        return architecture.evaluate(inputs, point, fidelity);
    } catch (sim::InputError const&) {
        throw;
    } catch (std::exception const& error) {
        return models::Defect{error.what()};
    }
}

/// "chat=llm=opt-6.7b,input=512"
space::WrittenScenario work_in(std::string const& flag) {
    auto const name_end = flag.find('=');
    if (name_end == std::string::npos) throw sim::InputError(fmt::format("'{}' is not NAME=KEY=VALUE,...", flag));
    space::WrittenScenario work{flag.substr(0, name_end), 1.0, {}};
    std::istringstream rest(flag.substr(name_end + 1));
    std::vector<std::string> const known(models::workload_keys.begin(), models::workload_keys.end());
    for (std::string part; std::getline(rest, part, ',');) {
        auto const key_end = part.find('=');
        auto const key = part.substr(0, key_end);
        if (key_end == std::string::npos) throw sim::InputError(fmt::format("'{}' is not KEY=VALUE", part));
        if (key == "weight") {
            work.weight = sim::parse_quantity(part.substr(key_end + 1)).si;
            continue;
        }
        if (std::find(known.begin(), known.end(), key) == known.end())
            throw sim::InputError(
                fmt::format("'{}' is nothing that a scenario asks.{}", key, sim::suggestion(key, known)));
        work.keys.emplace_back(key, part.substr(key_end + 1));
    }
    return work;
}

/// The point as scenarios ask it: a space of one.
Evaluated asked(models::Architecture const& architecture, models::Parameters parameters,
                std::vector<models::Value> const& point, models::Fidelity fidelity, po::variables_map const& values) {
    space::Scenarios::Parts scenarios;
    for (auto const& flag : values["scenario"].as<std::vector<std::string>>()) {
        scenarios.list.push_back(
            from_flag("--scenario", [&] { return space::scenario_of(work_in(flag), architecture, parameters); }));
    }
    if (auto const mistakes = space::mistakes_in(scenarios.list); !mistakes.empty())
        throw UsageError(fmt::format("--scenario: {}", fmt::join(mistakes, "; ")));
    for (std::size_t p = 0; p < point.size(); ++p) {
        for (auto const& scenario : scenarios.list) {
            if (scenario.decides(p) && !(point[p] == parameters[p].fallback))
                throw UsageError(fmt::format("--set {}: it is what the scenarios ask", parameters[p].name));
        }
    }
    if (values.contains("trace")) throw UsageError("--trace is of one point as it is, not of scenarios");
    space::Machine machine;
    machine.name = architecture.name;
    machine.architecture = &architecture;
    machine.inputs = models::prepare(architecture, parameters);
    machine.scenarios = space::Scenarios(std::move(scenarios), architecture.metrics());
    for (auto const& value : point) machine.axes.push_back(space::Axis::list({value}));
    space::Space::Parts parts;
    parts.machines.push_back(std::move(machine));
    space::Space const space(std::move(parts));
    auto outcome = evaluate::outcome_of(space, 0, point, fidelity);
    return {architecture, std::move(parameters), space.metrics(), point, fidelity, std::move(outcome), {}};
}

Evaluated evaluate(po::variables_map const& values) {
    auto const& architecture = models::find_architecture(needed(values, "architecture", manual));
    auto settings = overrides_of(values);
    if (values.contains("model")) settings.insert(settings.begin(), {"llm", values["model"].as<std::string>()});
    auto const fidelity =
        values.contains("fidelity")
            ? from_flag("--fidelity",
                        [&] { return space::parse_fidelity(architecture, values["fidelity"].as<std::string>()); })
            : architecture.fidelities.front();
    auto parameters = architecture.parameters();
    auto point = models::point_with(parameters, settings);
    if (values.contains("scenario")) return asked(architecture, std::move(parameters), point, fidelity, values);
    auto const inputs = models::prepare(architecture, parameters);
    auto outcome = outcome_of(architecture, inputs, point, fidelity);
    bool const feasible = std::holds_alternative<models::Metrics>(outcome);
    auto breakdown = feasible ? architecture.explain(inputs, point, fidelity) : models::Breakdown{};
    if (feasible && values.contains("trace")) {
        if (architecture.trace == nullptr)
            throw sim::InputError(fmt::format("{} has no cycle timeline to trace", architecture.name));
        write_trace(values["trace"].as<std::string>(), architecture.trace(inputs, point, fidelity), architecture.name);
    }
    return {architecture, std::move(parameters), architecture.metrics(), std::move(point),
            fidelity,     std::move(outcome),    std::move(breakdown)};
}

}  // namespace

int run_evaluate(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    auto add = flags.add_options();
    add("model", po::value<std::string>(), "short for --set llm=M");
    add("set", po::value<std::vector<std::string>>()->composing(), "name=value of a parameter (pimdse describe ARCH)");
    add("scenario", po::value<std::vector<std::string>>()->composing(),
        "NAME=KEY=VALUE,... of a request (llm, input, output, batch ...); several are answered one by one and "
        "together");
    add("fidelity", po::value<std::string>(), "analytic, hybrid or cycle");
    add("trace", po::value<std::string>(), "write the cycle timeline as Chrome trace JSON");
    add_format(flags);
    auto const values = parse(manual, flags, arguments);
    if (!values) return complete;
    Format const format = format_of(*values);
    auto const evaluated = evaluate(*values);
    format == Format::json ? print_json(evaluated) : print_text(evaluated, format);
    if (std::holds_alternative<models::Infeasible>(evaluated.outcome)) return no_feasible_point;
    return std::holds_alternative<models::Defect>(evaluated.outcome) ? some_points_failed : complete;
}

}  // namespace pimdse::dse::cli
