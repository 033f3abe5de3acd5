#include "dse/space/scenario_reader.hpp"

#include "models/find_architecture.hpp"
#include "models/service/scheduler_parameters.hpp"
#include "models/service/traffic.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>
#include <algorithm>
#include <map>

namespace pimdse::dse::space {
namespace {

constexpr std::size_t max_scenarios = 1000;

/// A value of a scenario's table as it stands in a request: { lognormal = [mean, p90] } is "lognormal mean p90".
std::vector<std::string> texts_in(toml::node const& node) {
    auto const words = [](toml::array const& list) {
        std::vector<std::string> texts;
        for (auto const& entry : list) texts.push_back(models::scalar_text(entry));
        return fmt::format("{}", fmt::join(texts, " "));
    };
    auto const* table = node.as_table();
    auto const has = [&](char const* name) { return table != nullptr && table->size() == 1 && table->contains(name); };
    if (has("lognormal") && table->get("lognormal")->is_array())
        return {"lognormal " + words(*table->get_as<toml::array>("lognormal"))};
    for (auto const* name : {"geometric", "exponential"})
        if (has(name)) return {fmt::format("{} {}", name, models::scalar_text(*table->get(name)))};
    auto const* list = node.as_array();
    if (list == nullptr) return {models::scalar_text(node)};
    std::vector<std::string> texts;
    for (auto const& entry : *list) {
        auto const more = texts_in(entry);
        texts.insert(texts.end(), more.begin(), more.end());
    }
    return texts;
}

/// Tables of a scenario, and the keys that they have: those of the traffic, and parameters of the scheduler.
std::vector<std::pair<std::string, std::vector<std::string>>> known_tables() {
    std::vector<std::pair<std::string, std::vector<std::string>>> tables{
        {"traffic", {}}, {"slo", {}}, {"scheduler", {}}};
    auto keys = sim::words_of(models::service::traffic_keys, ' ');
    for (auto const& parameter : models::service::scheduler_parameters()) keys.push_back(parameter.name);
    for (auto const& key : keys) {
        for (auto& [table, names] : tables)
            if (key.starts_with(table + ".")) names.push_back(key.substr(table.size() + 1));
    }
    return tables;
}

}  // namespace

void ScenarioReader::mistake(toml::node const& at, std::string const& sentence) {
    mistakes_.push_back(fmt::format("{}: {}", models::place(file_, at.source()), sentence));
}

Scenarios ScenarioReader::read(toml::table const& content, models::Parameters& parameters) {
    if (auto const* node = content.get("scenario")) read_list(*node, parameters);
    auto const own = architecture_.metrics();
    for (auto const* key : {"aggregate", "baseline"}) {
        auto const* node = content.get(key);
        if (node != nullptr && !content.contains("scenario"))
            mistake(*node, fmt::format("[{}] needs scenarios, and the file has no [[scenario]]", key));
    }
    if (parts_.list.empty() || !mistakes_.empty()) return {};
    if (auto const* node = content.get("baseline")) read_baseline(*node, parameters);
    if (auto const* node = content.get("aggregate")) read_aggregates(*node, Scenarios(parts_, own).metrics());
    return Scenarios(std::move(parts_), own);
}

void ScenarioReader::read_list(toml::node const& node, models::Parameters& parameters) {
    auto const* list = node.as_array();
    if (list == nullptr)
        return mistake(node, "scenarios must be [[scenario]] tables with a name and the keys of a workload");
    for (auto const& entry : *list) {
        auto const* table = entry.as_table();
        if (table == nullptr) {
            mistake(entry, "a scenario must be a table");
            continue;
        }
        read_scenario(*table, parameters);
        if (parts_.list.size() > max_scenarios)
            return mistake(entry, fmt::format("there are more than {} scenarios", max_scenarios));
    }
    for (auto const& sentence : space::mistakes_in(parts_.list)) {
        if (!reported_.contains(sentence)) mistake(node, sentence);
    }
}

void ScenarioReader::read_scenario(toml::table const& table, models::Parameters& parameters) {
    std::set<std::string> reported;  // scenarios from one table may have the same mistake
    auto const report = [&](toml::node const& at, std::string const& sentence) {
        if (reported.insert(sentence).second) mistake(at, sentence);
        reported_.insert(sentence);
    };
    if (!table.contains("name")) reported.insert(space::mistakes_in({{{"", 1.0, {}}, {}, 0.0, ""}}).front());
    for (auto const& work : works_in(table)) {
        for (auto const& sentence : space::mistakes_in({{work, {}, 0.0, ""}})) report(table, sentence);
        try {
            parts_.list.push_back(space::scenario_of(work, architecture_, parameters));
        } catch (sim::InputError const& error) {
            auto const before = reported.size();
            report_by_key(work, table, parameters, report);
            if (reported.size() == before) report(table, error.what());
        }
    }
}

/// Reports mistakes at the line of the key that they concern.
void ScenarioReader::report_by_key(WrittenScenario const& work, toml::table const& table,
                                   models::Parameters& parameters, Report const& report) {
    report_traffic(work, table, report);
    for (auto const& [key, value] : work.keys) {
        if (models::service::is_traffic_key(key)) continue;
        try {
            (void)space::scenario_of({work.name, work.weight, {{key, value}}}, architecture_, parameters);
        } catch (sim::InputError const& error) {
            for (auto const& sentence : error.sentences()) {
                bool const named = sentence.find(key) != std::string::npos;
                report(*table.at_path(key).node(), named ? sentence : fmt::format("{}: {}", key, sentence));
            }
        }
    }
}

std::vector<std::string> ScenarioReader::texts_of(std::string_view key, toml::node const& node) {
    try {
        std::vector<std::string> texts;
        auto const* list = node.as_array();
        if (list == nullptr) return {models::scalar_text(node)};
        for (auto const& entry : *list) texts.push_back(models::scalar_text(entry));
        if (texts.empty()) mistake(node, fmt::format("{} has no values", key));
        return texts;
    } catch (sim::InputError const& error) {
        mistake(node, fmt::format("{}: {}", key, error.what()));
        return {};
    }
}

std::vector<WrittenScenario> ScenarioReader::works_in(toml::table const& scenario) {
    models::TableReader reader(scenario, file_, mistakes_);
    std::vector<WrittenScenario> works{{reader.text("name"), 1.0, {}}};
    if (reader.node("weight") != nullptr) works[0].weight = reader.number("weight");
    for (auto const key : models::workload_keys) {
        auto const* node = reader.node(key);
        if (node == nullptr) continue;
        auto const texts = texts_of(key, *node);
        if (works.size() * texts.size() > max_scenarios) {
            reader.mistake(key, fmt::format("the lists of this table make more than {} scenarios", max_scenarios));
            return {};
        }
        works = with_each(works, std::string(key), texts);
    }
    add_tables(reader, works);
    reader.refuse_unknown_keys();
    return works;
}

void ScenarioReader::add_tables(models::TableReader& scenario, std::vector<WrittenScenario>& works) {
    static auto const known = known_tables();
    for (auto const& [name, keys] : known) {
        auto const* node = scenario.node(name);
        if (node == nullptr) continue;
        auto const* table = node->as_table();
        if (name != "traffic" && scenario.node("traffic") == nullptr) {
            scenario.mistake(
                name,
                fmt::format("[scenario.{}] is for requests that arrive over time. Add a table [scenario.traffic]?",
                            name));
            continue;
        }
        if (table == nullptr) {
            scenario.mistake(name, fmt::format("'{0}' must be a table, such as [scenario.{0}]", name));
            continue;
        }
        add_keys(name, *table, keys, works);
    }
}

/// Combines the scenarios with the values of a table's keys; `columns.time` is the key `time` of a table in it.
void ScenarioReader::add_keys(std::string const& name, toml::table const& table, std::vector<std::string> const& keys,
                              std::vector<WrittenScenario>& works) {
    models::TableReader reader(table, file_, mistakes_);
    std::map<std::string, std::vector<std::string>> inner;
    for (auto const& key : keys) {
        if (auto const dot = key.find('.'); dot != std::string::npos) {
            inner[key.substr(0, dot)].push_back(key.substr(dot + 1));
            continue;
        }
        auto const* value = reader.node(key);
        if (value == nullptr) continue;
        try {
            auto const texts = texts_in(*value);
            if (texts.empty()) reader.mistake(key, fmt::format("{} has no values", key));
            if (works.size() * texts.size() > max_scenarios) {
                reader.mistake(key, fmt::format("the lists of this table make more than {} scenarios", max_scenarios));
                continue;
            }
            works = with_each(works, name + "." + key, texts);
        } catch (sim::InputError const& error) {
            reader.mistake(key, fmt::format("{}: {}", key, error.what()));
        }
    }
    for (auto const& [key, inner_keys] : inner) {
        auto const* node = reader.node(key);
        if (node == nullptr) continue;
        if (auto const* inner_table = node->as_table())
            add_keys(name + "." + key, *inner_table, inner_keys, works);
        else
            reader.mistake(key, fmt::format("'{0}' must be a table, such as [scenario.{1}.{0}]", key, name));
    }
    reader.refuse_unknown_keys();
}

/// Reports mistakes in the traffic at the line of the key that they concern, or at that of its table.
void ScenarioReader::report_traffic(WrittenScenario const& work, toml::table const& table, Report const& report) {
    WrittenScenario only{work.name, work.weight, {}};
    for (auto const& key : work.keys)
        if (models::service::is_traffic_key(key.first)) only.keys.push_back(key);
    if (only.keys.empty()) return;
    try {
        (void)models::service::read_traffic_keys(only.keys);
    } catch (sim::InputError const& error) {
        for (auto const& sentence : error.sentences()) {
            auto const* at = table.get(table.contains("traffic") ? "traffic" : "slo");
            for (auto const& [key, _] : only.keys)
                if (sentence.starts_with(key + " ") || sentence.starts_with(key + ":")) at = table.at_path(key).node();
            report(at == nullptr ? table : *at, sentence);
        }
    }
}

bool ScenarioReader::finds_traffic(toml::table const& content) {
    auto const* list = content.get_as<toml::array>("scenario");
    return list != nullptr && std::ranges::any_of(*list, [](toml::node const& entry) {
               auto const* table = entry.as_table();
               return table != nullptr && (table->contains("traffic") || table->contains("slo"));
           });
}

void ScenarioReader::read_aggregates(toml::node const& node, models::MetricList const& metrics) {
    auto const* table = node.as_table();
    if (table == nullptr) return mistake(node, "[aggregate] must be a table with entries such as latency = \"mean\"");
    auto const known = sim::names_of(metrics);
    std::vector<std::string> const aggregates(space::aggregate_names.begin(), space::aggregate_names.end());
    for (auto const& [key, value] : *table) {
        std::string const metric(key.str()), name = value.value_or(std::string{});
        auto const aggregate = std::find(aggregates.begin(), aggregates.end(), name);
        if (models::find_metric(metrics, metric) < 0)
            mistake(value, fmt::format("{} is not a metric of {}.{}", metric, architecture_.name,
                                       sim::suggestion(metric, known)));
        else if (aggregate == aggregates.end())
            mistake(value,
                    fmt::format("{}: unknown aggregate '{}'.{}", metric, name, sim::suggestion(name, aggregates)));
        else
            parts_.aggregates.emplace_back(metric, static_cast<Aggregate>(aggregate - aggregates.begin()));
    }
}

void ScenarioReader::read_baseline(toml::node const& node, models::Parameters& parameters) {
    if (Scenarios(parts_, architecture_.metrics()).serve())
        return mistake(node, "[baseline] compares the times of one batch, but a scenario has traffic");
    auto const* table = node.as_table();
    if (table == nullptr)
        return mistake(node, "[baseline] must be a table of an architecture and settings of its parameters");
    try {
        std::string architecture;  // empty: each design is its own baseline
        Baseline::Settings settings;
        for (auto const& [key, value] : *table) {
            auto text = models::scalar_text(value);
            if (key.str() == "architecture")
                architecture = std::move(text);
            else
                settings.emplace_back(std::string(key.str()), std::move(text));
        }
        parts_.baseline = architecture.empty()
                              ? space::design_itself(architecture_, std::move(settings), parameters, parts_.list)
                              : space::one_design(models::find_architecture(architecture), std::move(settings),
                                                  parts_.list, assumptions_);
    } catch (sim::InputError const& error) {
        for (auto const& sentence : error.sentences()) mistake(node, fmt::format("baseline: {}", sentence));
    }
}

}  // namespace pimdse::dse::space
