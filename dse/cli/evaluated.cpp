#include "dse/cli/evaluated.hpp"

#include "dse/cli/breakdown_text.hpp"
#include "dse/cli/json_text.hpp"
#include "dse/cli/screen.hpp"
#include "dse/cli/text_table.hpp"
#include "dse/explain/explanation_json.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <array>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

namespace pimdse::dse::cli {
namespace {

using nlohmann::ordered_json;

std::string_view status_of(models::Outcome const& outcome) {
    constexpr std::array<std::string_view, 3> names{"ok", "infeasible", "defect"};
    return names[outcome.index()];
}

ordered_json metrics_json(Evaluated const& e, models::Metrics const& metrics) {
    ordered_json all;
    auto const table = e.asked.machine.metrics();
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
    ordered_json text{{"architecture", e.asked.machine.architecture->name},
                      {"fidelity", models::name_of(e.asked.fidelity)},
                      {"status", status_of(e.outcome)}};
    auto const& parameters = e.asked.machine.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i)
        text["point"][parameters[i].name] = task::value_json(parameters[i], e.asked.point[i]);
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

/// What the cycle level may say otherwise; constants and the model itself may be wrong beside that.
std::string bound_text(models::Estimate const& estimate, std::string const& unit) {
    if (estimate.kinds == models::Bound::none) return "";
    if (estimate.low == estimate.high) return "no fidelity error";
    return fmt::format("{} .. {} ({})", sim::print_quantity(estimate.low, unit),
                       sim::print_quantity(estimate.high, unit), kinds_text(estimate.kinds));
}

TextTable metrics_table(Evaluated const& e, models::Metrics const& metrics, Format format) {
    auto const table = e.asked.machine.metrics();
    TextTable text(format == Format::csv ? std::vector<std::string>{"metric", "value", "unit", "low", "high", "bound"}
                                         : std::vector<std::string>{"metric", "value", "bounds", "meaning"});
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (format == Format::csv) {
            text.add({table[i].name, fmt::format("{}", metrics[i].value), table[i].unit,
                      fmt::format("{}", metrics[i].low), fmt::format("{}", metrics[i].high),
                      std::string(name_of(metrics[i].kinds))});
        } else if (!std::isnan(metrics[i].value)) {
            text.add({table[i].name, sim::print_quantity(metrics[i].value, table[i].unit),
                      bound_text(metrics[i], table[i].unit),
                      table[i].meaning + (table[i].assumed ? " (rests on assumed constants)" : "")});
        }
    }
    return text;
}

/// "umdam at analytic fidelity (point 12 of a.h5): input 128"
std::string title(AskedPoint const& asked) {
    auto const changed = changed_parameters(asked);
    return fmt::format("{} at {} fidelity{}: {}\n", asked.machine.architecture->name, models::name_of(asked.fidelity),
                       asked.origin.empty() ? "" : fmt::format(" ({})", asked.origin),
                       changed.empty() ? "every parameter at its default" : changed);
}

void print_csv(Evaluated const& e) {
    if (auto const* metrics = std::get_if<models::Metrics>(&e.outcome)) {
        std::cout << metrics_table(e, *metrics, Format::csv).csv();
        return;
    }
    TextTable table({"status", "rule", "reason"});
    if (auto const* infeasible = std::get_if<models::Infeasible>(&e.outcome))
        table.add({"infeasible", infeasible->rule, infeasible->reason});
    else
        table.add({"defect", "", std::get<models::Defect>(e.outcome).what});
    std::cout << table.csv();
}

void print_text(Evaluated const& e) {
    std::cout << wrapped(title(e.asked), screen_width()) << "\n";
    if (auto const* metrics = std::get_if<models::Metrics>(&e.outcome)) {
        std::cout << metrics_table(e, *metrics, Format::text).text(screen_width()) << breakdown_text(e.breakdown);
    } else if (auto const* infeasible = std::get_if<models::Infeasible>(&e.outcome)) {
        std::cout << fmt::format("infeasible: {}: {}\n", infeasible->rule, infeasible->reason);
    } else {
        std::cout << fmt::format("defect: {}\n", std::get<models::Defect>(e.outcome).what);
    }
}

}  // namespace

void print_evaluated(Evaluated const& evaluated, Format format) {
    if (format == Format::json)
        print_json(evaluated);
    else
        format == Format::csv ? print_csv(evaluated) : print_text(evaluated);
}

}  // namespace pimdse::dse::cli
