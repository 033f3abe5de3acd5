#include "dse/cli/run/best_by_scenario.hpp"

#include "dse/cli/run/scenario_table.hpp"
#include "dse/store/result/result_schema.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>

namespace pimdse::dse::cli::run {
namespace {

/// The best point in one metric; nothing where no point meets the condition.
struct Best {
    std::string scenario;
    std::size_t metric = 0;
    std::vector<task::Task> tasks;  ///< one, or none
};

std::vector<Best> all_best(task::Columns const& columns, answers::ResultStore const& store,
                           std::vector<std::string> const& metrics, space::Expression const* where) {
    std::vector<Best> list;
    for (auto const& metric : metrics) {
        for (auto const& scenario : scenarios_of(columns)) {
            auto const name = store::result::schema::name_in(scenario, metric);
            auto const at = static_cast<std::size_t>(models::find_metric(columns.metrics, name));
            auto tasks = make_front(columns, store, {{{at, columns.metrics[at].better}}, where}).tasks();
            tasks.resize(std::min<std::size_t>(tasks.size(), 1));
            list.push_back({scenario, at, std::move(tasks)});
        }
    }
    return list;
}

}  // namespace

TextTable best_by_scenario(task::Columns const& columns, answers::ResultStore const& store,
                           std::vector<std::string> const& metrics, space::Expression const* where, bool readable) {
    auto const found = all_best(columns, store, metrics, where);
    std::vector<answers::ResultStore::Row> rows;
    for (auto const& best : found) {
        if (!best.tasks.empty()) rows.push_back(*store.find(best.tasks[0]));
    }
    FrontTable const designs(columns, store, {}, rows, store.finest());
    auto const varying = designs.varying();
    std::vector<std::string> head{"scenario", "metric", "best", "point"};
    for (auto& word : designs.design_head(varying)) head.push_back(std::move(word));
    TextTable table(head);
    std::size_t next = 0;
    for (auto const& best : found) {
        auto const& metric = columns.metrics[best.metric];
        std::vector<std::string> cells{best.scenario, store::result::schema::name_and_scenario(metric.name).first};
        if (best.tasks.empty()) {
            cells.resize(head.size());
        } else {
            auto const row = rows[next++];
            double const value = store.value(row, best.metric);
            cells.push_back(readable ? sim::print_quantity(value, metric.unit) : fmt::format("{}", value));
            cells.push_back(fmt::format("{}", index_of(best.tasks[0].point)));
            for (auto& word : designs.design_cells(row, varying, readable)) cells.push_back(std::move(word));
        }
        table.add(std::move(cells));
    }
    return table;
}

TextTable by_design(task::Columns const& columns, answers::ResultStore const& store, FrontTable const& front,
                    std::vector<std::string> const& metrics) {
    auto const designs = front.designs();
    auto const varying = front.varying();
    std::vector<std::size_t> shown;
    std::vector<std::string> head{"point"};
    for (auto const& metric : metrics) {
        for (auto const& scenario : scenarios_of(columns)) {
            auto const name = store::result::schema::name_in(scenario, metric);
            shown.push_back(static_cast<std::size_t>(models::find_metric(columns.metrics, name)));
            head.push_back(name);
        }
    }
    for (auto& word : front.design_head(varying)) head.push_back(std::move(word));
    TextTable table(head);
    auto const tasks = front.tasks();
    for (std::size_t i = 0; i < designs.size(); ++i) {
        std::vector<std::string> cells{fmt::format("{}", index_of(designs[i].point))};
        for (auto const at : shown)
            cells.push_back(sim::print_quantity(designs[i].metrics[at].value, columns.metrics[at].unit));
        for (auto& word : front.design_cells(*store.find(tasks[i]), varying, true)) cells.push_back(std::move(word));
        table.add(std::move(cells));
    }
    return table;
}

}  // namespace pimdse::dse::cli::run
