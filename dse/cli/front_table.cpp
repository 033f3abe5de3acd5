#include "dse/cli/front_table.hpp"

#include "dse/cli/json_text.hpp"
#include "dse/cli/text_table.hpp"
#include "dse/front.hpp"
#include "sim/quantity_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pimdse::dse::cli {
namespace {

std::vector<models::Estimate> estimates(ResultFile const& file, ResultStore::Row row) {
    std::vector<models::Estimate> all;
    for (std::size_t i = 0; i < file.columns.metrics.size(); ++i) all.push_back(file.store.estimate(row, i));
    return all;
}

nlohmann::ordered_json value_json(models::Parameter const& parameter, models::Value const& value) {
    switch (value.kind()) {
        case models::Kind::integer: return value.as_integer();
        case models::Kind::quantity: return value.as_quantity();
        case models::Kind::flag: return value.as_flag();
        default: return models::print_value(parameter, value);
    }
}

}  // namespace

FrontTable make_front(ResultFile const& file, std::vector<Objective> const& objectives, Expression const* where) {
    auto const fidelity = finest_fidelity(file.store);
    auto const keep = [&](ResultStore::Row row) { return where == nullptr || where->holds(file.point(row), estimates(file, row)); };
    auto const front = front_of(file.store, objectives, fidelity, keep);
    std::vector<ResultStore::Row> rows;
    for (auto const id : front.ids()) rows.push_back(*file.store.find({id, fidelity}));
    double const sign = objectives[0].better == models::Sense::maximize ? -1.0 : 1.0;
    std::stable_sort(rows.begin(), rows.end(), [&](auto a, auto b) {
        return sign * file.store.value(a, objectives[0].metric) < sign * file.store.value(b, objectives[0].metric);
    });
    return {file, objectives, std::move(rows)};
}

std::vector<std::size_t> FrontTable::varying() const {
    std::vector<std::size_t> which;
    for (std::size_t p = 0; p < file_.columns.parameters.size(); ++p) {
        auto const& column = file_.values[p];
        if (std::adjacent_find(column.begin(), column.end(), std::not_equal_to<>()) != column.end()) which.push_back(p);
    }
    return which;
}

std::string FrontTable::text(std::size_t most) const {
    auto const parameters = varying();
    std::vector<std::string> head{"point"};
    for (auto const& objective : objectives_) head.push_back(file_.columns.metrics[objective.metric].name);
    for (auto const p : parameters) head.push_back(file_.columns.parameters[p].name);
    TextTable table(head);
    std::size_t const shown = most == 0 ? rows_.size() : std::min(most, rows_.size());
    for (std::size_t i = 0; i < shown; ++i) {
        ResultStore::Row const row = rows_[i];
        std::vector<std::string> cells{fmt::format("{}", index_of(file_.store.task(row).point))};
        for (auto const& objective : objectives_) {
            cells.push_back(sim::print_quantity(file_.store.value(row, objective.metric), file_.columns.metrics[objective.metric].unit));
        }
        for (auto const p : parameters) cells.push_back(models::print_value(file_.columns.parameters[p], file_.values[p][row]));
        table.add(std::move(cells));
    }
    std::string text = table.text();
    if (shown < rows_.size()) text += fmt::format("... and {} more on the front\n", rows_.size() - shown);
    return text;
}

std::string FrontTable::csv() const {
    std::vector<std::string> head{"point"};
    for (auto const& parameter : file_.columns.parameters) head.push_back(parameter.name);
    for (auto const& metric : file_.columns.metrics) head.push_back(metric.name);
    TextTable table(head);
    for (auto const row : rows_) {
        std::vector<std::string> cells{fmt::format("{}", index_of(file_.store.task(row).point))};
        for (std::size_t p = 0; p < file_.columns.parameters.size(); ++p) cells.push_back(models::print_value(file_.columns.parameters[p], file_.values[p][row]));
        for (std::size_t m = 0; m < file_.columns.metrics.size(); ++m) cells.push_back(fmt::format("{}", file_.store.value(row, m)));
        table.add(std::move(cells));
    }
    return table.csv();
}

std::string FrontTable::json() const {
    nlohmann::ordered_json text;
    text["architecture"] = file_.columns.architecture;
    text["fidelity"] = models::name_of(finest_fidelity(file_.store));
    text["points"] = file_.store.size();
    for (auto const& objective : objectives_) {
        auto const& metric = file_.columns.metrics[objective.metric];
        text["objectives"].push_back({{"name", metric.name}, {"unit", metric.unit}, {"better", objective.better == models::Sense::maximize ? "higher" : "lower"}});
    }
    text["front"] = nlohmann::ordered_json::array();
    for (auto const row : rows_) {
        nlohmann::ordered_json entry{{"point", index_of(file_.store.task(row).point)}};
        for (std::size_t p = 0; p < file_.columns.parameters.size(); ++p) {
            entry["parameters"][file_.columns.parameters[p].name] = value_json(file_.columns.parameters[p], file_.values[p][row]);
        }
        for (std::size_t m = 0; m < file_.columns.metrics.size(); ++m) {
            auto const estimate = file_.store.estimate(row, m);
            entry["metrics"][file_.columns.metrics[m].name] = {{"value", estimate.value}, {"unit", file_.columns.metrics[m].unit}, {"low", estimate.low}, {"high", estimate.high}};
        }
        text["front"].push_back(std::move(entry));
    }
    return json_text(text) + "\n";
}

}  // namespace pimdse::dse::cli
