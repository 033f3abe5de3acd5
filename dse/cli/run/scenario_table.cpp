#include "dse/cli/run/scenario_table.hpp"

#include "dse/store/result/result_schema.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::dse::cli::run {

namespace schema = store::result::schema;

std::vector<std::string> scenarios_of(task::Columns const& columns) { return schema::scenarios_in(columns.metrics); }

std::vector<std::string> scenario_metrics(task::Columns const& columns, std::vector<std::string> const& names) {
    auto const scenarios = scenarios_of(columns);
    if (scenarios.empty()) throw sim::InputError("there are no scenarios");
    std::vector<std::string> known, metrics;
    for (auto const& metric : columns.metrics) {
        auto const of = schema::name_and_scenario(metric.name);
        auto const has = [&](std::string const& scenario) {
            return models::find_metric(columns.metrics, schema::name_in(scenario, of.first)) >= 0;
        };
        if (of.second == scenarios.front() && std::ranges::all_of(scenarios, has)) known.push_back(of.first);
    }
    for (auto const& name : names) {
        auto const metric = schema::name_and_scenario(name).first;
        if (std::ranges::find(known, metric) == known.end())
            throw sim::InputError(
                fmt::format("'{}' is no metric of a scenario.{}", metric, sim::suggestion(metric, known)));
        if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
    }
    if (metrics.empty()) throw sim::InputError("it names no metric");
    return metrics;
}

TextTable scenario_table(task::Columns const& columns, std::span<AnsweredDesign const> designs,
                         std::vector<std::string> const& metrics, bool readable) {
    std::vector<std::string> head{"scenario"};
    for (auto const& metric : metrics) {
        for (auto const& design : designs)
            head.push_back(designs.size() == 1 ? metric : fmt::format("{} #{}", metric, index_of(design.point)));
    }
    TextTable table(head);
    for (auto const& scenario : scenarios_of(columns)) {
        std::vector<std::string> cells{scenario};
        for (auto const& metric : metrics) {
            auto const at =
                static_cast<std::size_t>(models::find_metric(columns.metrics, schema::name_in(scenario, metric)));
            for (auto const& design : designs) {
                double const value = design.metrics[at].value;
                cells.push_back(readable ? sim::print_quantity(value, columns.metrics[at].unit)
                                         : fmt::format("{}", value));
            }
        }
        table.add(std::move(cells));
    }
    return table;
}

}  // namespace pimdse::dse::cli::run
