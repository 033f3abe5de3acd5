#include "dse/cli/run/fronts_per.hpp"

#include "dse/cli/json_text.hpp"
#include "dse/cli/run/scenario_table.hpp"
#include "dse/front/front.hpp"
#include "dse/store/result/result_schema.hpp"
#include "dse/task/machine_name.hpp"
#include "dse/task/value_json.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <set>

namespace pimdse::dse::cli::run {
namespace {

namespace schema = store::result::schema;

constexpr std::string_view scenario_key = "scenario";
constexpr std::size_t most_values = 1000;

/// What an objective is in one scenario.
std::vector<task::Objective> objectives_in(task::Columns const& columns, std::vector<task::Objective> objectives,
                                           std::string const& scenario) {
    for (auto& objective : objectives) {
        if (objective.metric >= columns.metrics.size())
            throw sim::InputError("a formula is not known in each scenario (write METRIC@SCENARIO in it)");
        auto const name = schema::name_and_scenario(columns.metrics[objective.metric].name).first;
        int const at = models::find_metric(columns.metrics, schema::name_in(scenario, name));
        if (at < 0) throw sim::InputError(fmt::format("{} is not known in scenario {}", name, scenario));
        objective.metric = static_cast<std::size_t>(at);
    }
    return objectives;
}

std::set<models::Value> values_of(task::Columns const& columns, answers::ResultStore const& store,
                                  std::size_t parameter, models::Fidelity fidelity) {
    std::set<models::Value> values;
    std::vector<models::Value> point;
    for (answers::ResultStore::Row row = 0; row < store.size() && values.size() <= most_values; ++row) {
        auto const task = store.task(row);
        if (task.fidelity != fidelity ||
            !task::applies(columns.parameters[parameter].name, task::machine_of(columns, task.point)))
            continue;
        columns.decode(task.point, point);
        values.insert(point[parameter]);
    }
    return values;
}

}  // namespace

void check_key(task::Columns const& columns, std::vector<task::Objective> const& objectives, std::string const& key) {
    if (key == scenario_key) {
        if (scenarios_of(columns).empty()) throw sim::InputError("the file has no scenarios");
        (void)metrics_per(columns, objectives, key);
        return;
    }
    std::vector<std::string> names{std::string(scenario_key)};
    for (auto const& parameter : columns.parameters) names.push_back(parameter.name);
    if (models::find_parameter(columns.parameters, key) < 0)
        throw sim::InputError(fmt::format("'{}' is no parameter.{}", key, sim::suggestion(key, names)));
}

std::vector<std::size_t> metrics_per(task::Columns const& columns, std::vector<task::Objective> const& objectives,
                                     std::string const& key) {
    std::vector<std::size_t> metrics;
    if (key != scenario_key) return metrics;
    for (auto const& scenario : scenarios_of(columns)) {
        for (auto const& objective : objectives_in(columns, objectives, scenario)) metrics.push_back(objective.metric);
    }
    return metrics;
}

std::vector<FrontPer> fronts_per(task::Columns const& columns, answers::ResultStore const& store,
                                 FrontQuestion const& question, std::string const& key) {
    std::vector<FrontPer> fronts;
    auto asked = question;
    if (key == scenario_key) {
        for (auto const& scenario : scenarios_of(columns)) {
            asked.objectives = objectives_in(columns, question.objectives, scenario);
            fronts.push_back({scenario, scenario, scenario, make_front(columns, store, asked)});
        }
        return fronts;
    }
    auto const parameter = static_cast<std::size_t>(models::find_parameter(columns.parameters, key));
    auto const values = values_of(columns, store, parameter, question.fidelity.value_or(front::finest_fidelity(store)));
    if (values.size() > most_values)
        throw sim::InputError(fmt::format("--per {}: it takes more than {} values", key, most_values));
    for (auto const& value : values) {
        auto const& of = columns.parameters[parameter];
        asked.with = {parameter, value};
        fronts.push_back({models::print_value(of, value), task::value_cell(of, value), task::value_json(of, value),
                          make_front(columns, store, asked)});
    }
    return fronts;
}

std::string fronts_text(std::vector<FrontPer> const& fronts, std::string const& key, Format format) {
    if (format == Format::json) {
        auto list = nlohmann::ordered_json::array();
        for (auto const& per : fronts) {
            list.push_back({{"value", per.value}});
            list.back().update(per.front.json());
        }
        return json_text({{"per", key}, {"fronts", std::move(list)}}) + "\n";
    }
    std::string text;
    if (format == Format::text) {
        for (auto const& per : fronts)
            text += fmt::format("{}{} {}: {}", text.empty() ? "" : "\n", key, per.shown, per.front.text());
        return text;
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

}  // namespace pimdse::dse::cli::run
