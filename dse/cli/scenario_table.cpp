#include "dse/cli/scenario_table.hpp"

#include "dse/cli/verb.hpp"
#include "dse/search/front.hpp"
#include "dse/store/result_schema.hpp"
#include "models/contract/parameter_text.hpp"

#include <set>

namespace pimdse::dse::cli {
namespace {

/// The best point in one metric; none if no point meets the condition.
struct Best {
    std::string scenario;
    std::size_t metric = 0;
    std::optional<search::Row> row{};
};

std::vector<Best> all_best(space::Columns const& columns, search::ResultStore const& store,
                           std::vector<std::string> const& metrics, models::Expression const* where) {
    std::vector<Best> list;
    space::LimitCrossings const limits(columns, where);
    for (auto const& metric : metrics) {
        for (auto const at : in_scenarios(columns, metric)) {
            auto const front = make_front(columns, store, {{{at, columns.metrics[at].better}}, where}, limits);
            list.push_back({store::schema::name_and_scenario(columns.metrics[at].name).second, at});
            if (front.size() > 0) list.back().row = front.rows().front();
        }
    }
    return list;
}

namespace schema = store::schema;

constexpr std::string_view scenario_key = "scenario";
constexpr std::size_t max_values = 1000;

/// The metrics of the objectives in one scenario.
std::vector<space::Objective> objectives_in(space::Columns const& columns, std::vector<space::Objective> objectives,
                                            std::string const& scenario) {
    for (auto& objective : objectives) {
        if (objective.metric >= columns.metrics.size())
            throw sim::InputError("a formula cannot be evaluated per scenario. Use METRIC@SCENARIO in it?");
        auto const name = schema::name_and_scenario(columns.metrics[objective.metric].name).first;
        int const at = models::find_metric(columns.metrics, schema::name_in(scenario, name));
        if (at < 0) throw sim::InputError("{} is not known in scenario {}", name, scenario);
        objective.metric = static_cast<std::size_t>(at);
    }
    return objectives;
}

std::set<models::Value> values_of(space::Columns const& columns, search::ResultStore const& store,
                                  std::size_t parameter, models::Fidelity fidelity) {
    std::set<models::Value> values;
    std::vector<models::Value> point;
    for (search::Row row = 0; row < store.size() && values.size() <= max_values; ++row) {
        auto const task = store.task(row);
        if (task.fidelity != fidelity ||
            !space::applies(columns.parameters[parameter].name, space::machine_of(columns, task.point)))
            continue;
        columns.decode(task.point, point);
        values.insert(point[parameter]);
    }
    return values;
}

}  // namespace

TextTable best_by_scenario(space::Columns const& columns, search::ResultStore const& store,
                           std::vector<std::string> const& metrics, models::Expression const* where, bool readable) {
    auto const found = all_best(columns, store, metrics, where);
    std::vector<search::Row> rows;
    for (auto const& best : found)
        if (best.row) rows.push_back(*best.row);
    FrontTable const designs(columns, store, {}, rows, store.finest());
    auto const varying = designs.varying();
    std::vector<std::string> head{"scenario", "metric", "best", "point"};
    for (auto& word : designs.design_head(varying)) head.push_back(std::move(word));
    TextTable table(head);
    for (auto const& best : found) {
        auto const& metric = columns.metrics[best.metric];
        std::vector<std::string> cells{best.scenario, store::schema::name_and_scenario(metric.name).first};
        if (best.row) {
            double const value = store.value(*best.row, best.metric);
            cells.push_back(readable ? sim::print_quantity(value, metric.unit) : fmt::format("{}", value));
            cells.push_back(fmt::format("{}", index_of(store.task(*best.row).point)));
            for (auto& word : designs.design_cells(*best.row, varying, readable)) cells.push_back(std::move(word));
        }
        cells.resize(head.size());
        table.add(std::move(cells));
    }
    return table;
}

TextTable by_design(space::Columns const& columns, search::ResultStore const& store, FrontTable const& front,
                    std::vector<std::string> const& metrics) {
    auto const designs = front.designs();
    auto const varying = front.varying();
    std::vector<std::size_t> shown;
    std::vector<std::string> head{"point"};
    for (auto const& metric : metrics) {
        for (auto const at : in_scenarios(columns, metric)) {
            shown.push_back(at);
            head.push_back(columns.metrics[at].name);
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

void check_key(space::Columns const& columns, std::vector<space::Objective> const& objectives, std::string const& key) {
    if (key == scenario_key) {
        if (scenarios_of(columns).empty()) throw sim::InputError("the file has no scenarios");
        (void)metrics_per(columns, objectives, key);
        return;
    }
    std::vector<std::string> names{std::string(scenario_key)};
    for (auto const& parameter : columns.parameters) names.push_back(parameter.name);
    if (models::find_parameter(columns.parameters, key) < 0)
        throw sim::InputError("'{}' is not a parameter.{}", key, sim::suggestion(key, names));
}

std::vector<std::size_t> metrics_per(space::Columns const& columns, std::vector<space::Objective> const& objectives,
                                     std::string const& key) {
    std::vector<std::size_t> metrics;
    if (key != scenario_key) return metrics;
    for (auto const& scenario : scenarios_of(columns)) {
        for (auto const& objective : objectives_in(columns, objectives, scenario)) metrics.push_back(objective.metric);
    }
    return metrics;
}

std::vector<FrontPer> fronts_per(space::Columns const& columns, search::ResultStore const& store,
                                 FrontQuery const& query, std::string const& key) {
    std::vector<FrontPer> fronts;
    space::LimitCrossings const limits(columns, query.where);
    auto requested = query;
    if (key == scenario_key) {
        for (auto const& scenario : scenarios_of(columns)) {
            requested.objectives = objectives_in(columns, query.objectives, scenario);
            fronts.push_back({scenario, scenario, scenario, make_front(columns, store, requested, limits)});
        }
        return fronts;
    }
    auto const parameter = static_cast<std::size_t>(models::find_parameter(columns.parameters, key));
    auto const values = values_of(columns, store, parameter, query.fidelity.value_or(search::finest_fidelity(store)));
    if (values.size() > max_values)
        throw sim::InputError("--per {}: the parameter has more than {} values", key, max_values);
    for (auto const& value : values) {
        auto const& description = columns.parameters[parameter];
        requested.with = {parameter, value};
        fronts.push_back({models::print_value(description, value), models::value_cell(description, value),
                          models::value_json(description, value), make_front(columns, store, requested, limits)});
    }
    return fronts;
}

std::string fronts_text(std::vector<FrontPer> const& fronts, std::string const& key, Format format) {
    if (format == Format::json) {
        auto list = sim::Json::array();
        for (auto const& per : fronts) {
            list.push_back({{"value", per.value}});
            list.back().update(per.front.json());
        }
        return sim::Json{{"per", key}, {"fronts", std::move(list)}}.dump(2) + "\n";
    }
    std::string text;
    if (format == Format::text) {
        for (auto const& per : fronts)
            text += fmt::format("{}{} {}: {}", text.empty() ? "" : "\n", key, per.shown, per.front.text(0, false));
        auto const with_members = std::ranges::find_if(fronts, [](auto const& per) { return per.front.size() > 0; });
        return with_members == fronts.end() ? text : text + "\n" + with_members->front.footing();
    }
    std::vector<std::string> head{"per_" + key};
    if (!fronts.empty()) {
        auto const columns = fronts.front().front.csv_head();
        head.insert(head.end(), columns.begin(), columns.end());
    }
    TextTable table(std::move(head));
    for (auto const& per : fronts) {
        for (auto& row : per.front.csv_rows()) {
            row.insert(row.begin(), per.cell);
            table.add(std::move(row));
        }
    }
    return table.csv();
}

}  // namespace pimdse::dse::cli
