#pragma once

#include "dse/space/metric_table.hpp"
#include "sim/base/random.hpp"
#include "tests/unit/dse/made_up_space.hpp"

#include <fmt/format.h>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Made-up machines (made_up_space.hpp) with tables: `accuracy` by rows and mode, and `loss` by depth.
namespace pimdse::dse::testing {

/// What the tables say; nothing where they have no row.
inline std::optional<double> made_up_accuracy(std::int64_t rows, std::size_t mode) {
    auto const at = static_cast<std::uint64_t>(rows) * 8 + mode;
    if (sim::mixed_bits(at) % 7 == 0) return std::nullopt;
    return static_cast<double>(sim::mixed_bits(at + 1000) % 12) / 4.0;
}
inline std::optional<double> made_up_loss(std::int64_t depth) {
    if (depth % 5 == 0) return std::nullopt;
    return static_cast<double>(sim::mixed_bits(static_cast<std::uint64_t>(depth) + 77) % 9);
}

inline std::shared_ptr<space::MetricTable const> made_up_table(std::vector<std::string> keys, std::string const& metric,
                                                               std::string const& better, std::string const& text) {
    space::TableHead head{"/there/" + metric + ".csv", "", std::move(keys), {}};
    head.columns.push_back(space::table_column(metric, better, "1", head.file));
    return std::make_shared<space::MetricTable const>(space::read_metric_table(std::move(head), text));
}

inline std::vector<std::shared_ptr<space::MetricTable const>> made_up_tables() {
    auto const names = made_up_parameters()[2].choices;
    std::string accuracy = "mode,rows,accuracy\n", loss = "depth,loss\n";
    for (std::int64_t rows = 1; rows <= 40; ++rows) {
        for (std::size_t mode = 0; mode < names.size(); ++mode) {
            if (auto const value = made_up_accuracy(rows, mode))
                accuracy += fmt::format("{},{},{}\n", names[mode], rows, *value);
        }
    }
    for (std::int64_t depth = 1; depth <= 40; ++depth) {
        if (auto const value = made_up_loss(depth)) loss += fmt::format("{},{}\n", depth, *value);
    }
    return {made_up_table({"rows", "mode"}, "accuracy", "higher", accuracy),
            made_up_table({"depth"}, "loss", "lower", loss)};
}

/// A machine with both tables. Its scenarios, if any, set the mode.
inline space::Machine machine_with_tables(MadeUpAxes const& said, std::vector<std::string> const& conditions = {},
                                          std::vector<std::size_t> const& asked_modes = {}) {
    auto machine = made_up_machine(said);
    auto const tables = made_up_tables();
    for (auto const& table : tables) machine.table_metrics.push_back(table->head.columns.front().metric);
    space::Scenarios::Parts scenarios;
    scenarios.tables = machine.table_metrics;
    for (auto const mode : asked_modes) {
        space::Scenario scenario{{fmt::format("s{}", scenarios.list.size()), 1.0 + static_cast<double>(mode), {}}, {}};
        scenario.asks.emplace_back(2, models::Value::choice(mode));
        scenarios.list.push_back(std::move(scenario));
    }
    if (!asked_modes.empty()) machine.scenarios = space::Scenarios(std::move(scenarios), made_up_metrics());
    for (auto const& table : tables) machine.tables.emplace_back(table, machine.name, false, machine.parameters());
    for (auto const& text : conditions) {
        auto condition = models::parse_condition(text, {machine.parameters(), machine.metrics()});
        bool const parameters_only = !condition.uses_metrics();
        machine.constraints.push_back({"rule " + text, std::move(condition), parameters_only});
    }
    return machine;
}

}  // namespace pimdse::dse::testing
