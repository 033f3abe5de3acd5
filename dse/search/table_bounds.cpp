#include "dse/search/table_bounds.hpp"

#include "models/contract/common_metrics.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::dse::search {
namespace {

/// Positions of the values on an axis.
std::map<models::Value, std::uint64_t> positions_on(space::Axis const& axis) {
    std::map<models::Value, std::uint64_t> positions;
    for (std::uint64_t i = 0; i < axis.size(); ++i) positions.try_emplace(axis.at(i), i);
    return positions;
}

/// A point with the first value of every axis.
std::vector<models::Value> first_point(space::Machine const& machine) {
    std::vector<models::Value> point;
    for (auto const& axis : machine.axes) point.push_back(axis.at(0));
    return point;
}

/// The metrics of a table at a point without scenarios, or first aggregated and then in each scenario; empty if a row
/// is missing. `first`: the position of the first metric of the table among those of a request.
std::vector<double> values_at(space::Machine const& machine, space::MachineTable const& table, std::size_t first,
                              std::vector<models::Value> const& point) {
    auto const columns = table.table().head.columns.size();
    auto const& scenarios = machine.scenarios.list();
    if (scenarios.empty()) {
        auto const* row = table.row_of(point);
        return row == nullptr ? std::vector<double>() : row->metrics;
    }
    std::vector<models::Metrics> results;
    std::vector<double> values(columns);
    for (auto const& scenario : scenarios) {
        auto const* row = table.row_of(scenario.of(point));
        if (row == nullptr) return {};
        auto& metrics = results.emplace_back(machine.scenarios.metrics().size(), models::does_not_apply());
        for (std::size_t c = 0; c < columns; ++c) metrics[first + c] = row->metrics[c];
        values.insert(values.end(), row->metrics.begin(), row->metrics.end());
    }
    for (std::size_t c = 0; c < columns; ++c) values[c] = machine.scenarios.aggregated(results, first + c).value;
    return values;
}

/// The value that the first scenario sets for a parameter; nullptr if it sets none.
models::Value const* asked_first(space::Scenarios const& scenarios, std::size_t parameter) {
    if (scenarios.empty()) return nullptr;
    auto const& asks = scenarios.list().front().asks;
    auto const found = std::ranges::find(asks, parameter, &std::pair<std::size_t, models::Value>::first);
    return found == asks.end() ? nullptr : &found->second;
}

bool serves_all(space::Scenarios const& scenarios) {
    return std::ranges::all_of(scenarios.list(), [](auto const& scenario) { return scenario.refusal.empty(); });
}

}  // namespace

TableBounds::TableBounds(space::Machine const& machine) {
    for (auto const& table : machine.tables) add(machine, table);
}

void TableBounds::add(space::Machine const& machine, space::MachineTable const& table) {
    auto const& columns = table.table().head.columns;
    auto const own = machine.metrics_of_request();
    auto const first = static_cast<std::size_t>(models::find_metric(own, columns.front().metric.name));
    auto const scenarios = machine.scenarios.list().size();
    for (std::size_t v = 0; v < columns.size() * (scenarios == 0 ? 1 : scenarios + 1); ++v)
        places_[v / columns.size() * own.size() + first + v % columns.size()] = {tables_.size(), v};
    auto& added = tables_.emplace_back(Table{table.keys(), {}});
    if (!serves_all(machine.scenarios)) return;  // no point is feasible
    std::vector<std::map<models::Value, std::uint64_t>> positions;
    for (auto const key : added.keys) positions.push_back(positions_on(machine.axes[key]));
    // Every design with rows in all scenarios has a row in the first one, whose keys are values of the design except
    // for those that the scenario sets.
    for (auto const& row : table.rows()) {
        auto point = first_point(machine);
        Design design;
        for (std::size_t k = 0; k < added.keys.size(); ++k) {
            auto const key = added.keys[k];
            auto const* asked = asked_first(machine.scenarios, key);
            if (asked != nullptr && *asked != row.keys[k]) break;
            auto const found = asked != nullptr ? positions[k].begin() : positions[k].find(row.keys[k]);
            if (found == positions[k].end()) break;
            point[key] = found->first;
            design.positions.push_back(found->second);
        }
        if (design.positions.size() != added.keys.size()) continue;
        design.values = values_at(machine, table, first, point);
        if (!design.values.empty()) added.designs.push_back(std::move(design));
    }
}

bool TableBounds::depends(std::size_t metric, std::size_t parameter) const {
    auto const& keys = tables_[places_.at(metric).table].keys;
    return std::ranges::find(keys, parameter) != keys.end();
}

std::vector<std::size_t> TableBounds::metrics() const {
    std::vector<std::size_t> list;
    for (auto const& [metric, _] : places_) list.push_back(metric);
    return list;
}

bool TableBounds::is_in(Table const& table, Design const& design, Runs box) {
    for (std::size_t k = 0; k < table.keys.size(); ++k) {
        auto const& run = box[table.keys[k]];
        if (design.positions[k] < run.first || design.positions[k] - run.first >= run.count) return false;
    }
    return true;
}

std::optional<TableBounds::Ends> TableBounds::ends(std::size_t metric, Runs box) const {
    auto const place = places_.at(metric);
    auto const& table = tables_[place.table];
    std::optional<Ends> ends;
    for (auto const& design : table.designs) {
        if (!is_in(table, design, box)) continue;
        double const value = design.values[place.value];
        ends = ends ? Ends{std::min(ends->min, value), std::max(ends->max, value)} : Ends{value, value};
    }
    return ends;
}

bool TableBounds::lack_all_of(Runs box) const {
    return std::ranges::any_of(tables_, [&](Table const& table) {
        return std::ranges::none_of(table.designs, [&](Design const& design) { return is_in(table, design, box); });
    });
}

}  // namespace pimdse::dse::search
