#include "dse/store/result/result_tables.hpp"

#include "dse/front/front.hpp"
#include "dse/store/result/result_schema.hpp"
#include "dse/task/replay.hpp"

#include <numeric>
#include <string>
#include <vector>

namespace pimdse::dse::store::result::tables {
namespace {

void write_history(hdf5::Group& front, front::FrontHistory const& history) {
    auto group = front.create_group("history");
    group.attribute("meaning", "the front over the points in order of their ids, one row per block of ids");
    group.attribute("ids_per_row", history.ids_per_row);
    group.attribute("ideal_point", std::span<double const>(history.box.ideal));
    group.attribute("reference_point", std::span<double const>(history.box.reference));
    group.put("first_id", history.first_id);
    group.put("evaluations", history.evaluations);
    auto share = group.put("hypervolume", history.hypervolume);
    share.attribute("unit", "1");
    share.attribute("meaning",
                    "share of the box from ideal_point to reference_point that the front dominates; NaN where it was "
                    "too large for an exact number");
    group.put("size", history.size);
}

}  // namespace

void describe_flags(hdf5::Object& object, std::span<std::string_view const> names) {
    std::vector<std::uint8_t> values(names.size());
    std::iota(values.begin(), values.end(), std::uint8_t{0});
    object.attribute("flag_values", std::span<std::uint8_t const>(values));
    object.attribute("flag_meanings", schema::flag_meanings(names));
}

void write_inputs(hdf5::Group& root, task::Columns const& columns) {
    std::vector<std::string_view> names, sums;
    for (auto const& [name, sum] : columns.input_hashes) {
        names.push_back(name);
        sums.push_back(sum);
    }
    auto group = root.create_group("inputs");
    group.attribute("meaning", "files that the answers depend on, and their SHA-256");
    group.put_texts("file", names);
    group.put_texts("sha256", sums);
}

void write_choices(hdf5::Group& group, models::Parameters const& parameters) {
    auto choices = group.create_group("choices");
    choices.attribute("meaning", "what a parameter may be, by parameter");
    auto items = group.create_group("items");
    items.attribute("meaning", "what a parameter orders, by parameter");
    for (auto const& parameter : parameters) {
        if (!parameter.choices.empty()) choices.put_texts(parameter.name, parameter.choices);
        if (!parameter.items.empty()) items.put_texts(parameter.name, parameter.items);
    }
}

void write_failures(hdf5::Group& root, task::Columns const& columns, answers::ResultStore const& store,
                    std::span<answers::ResultStore::Row const> rows) {
    std::vector<std::uint64_t> points;
    std::vector<std::uint8_t> fidelities;
    std::vector<std::string> commands;
    std::vector<std::string_view> classes, rules, reasons;
    for (auto const row : rows) {
        if (store.status(row) == answers::Status::ok) continue;
        points.push_back(index_of(store.task(row).point));
        fidelities.push_back(static_cast<std::uint8_t>(store.task(row).fidelity));
        classes.push_back(name_of(store.status(row)));
        rules.push_back(store.rule(row));
        reasons.push_back(store.reason(row));
        commands.push_back(store.status(row) == answers::Status::infeasible ? ""
                                                                            : replay_command(columns, store.task(row)));
    }
    auto group = root.create_group("failures");
    group.put("point_id", points);
    auto fidelity = group.put("fidelity", fidelities);
    describe_flags(fidelity, models::fidelity_names);
    group.put_texts("class", classes);
    group.put_texts("rule", rules);
    group.put_texts("reason", reasons);
    auto replay = group.put_texts("replay", commands);
    replay.attribute("meaning", "the command that evaluates a point that failed again");
}

void write_rules(hdf5::Group& root, answers::ResultStore const& store) {
    std::vector<std::string_view> names;
    std::vector<std::uint64_t> points;
    for (auto const& [rule, count] : store.counts_per_rule()) {
        names.push_back(rule);
        points.push_back(count);
    }
    auto group = root.create_group("rules");
    group.attribute("meaning", "how many points broke each rule or failed in each way, kept or not");
    group.put_texts("rule", names);
    group.put("points", points);
}

void write_blocks(hdf5::Group& root, answers::ResultStore const& store) {
    if (store.blocks().empty()) return;
    std::vector<std::uint64_t> blocks, points;
    std::vector<std::uint8_t> fidelities;
    for (auto const& [key, count] : store.blocks()) {
        blocks.push_back(key.first);
        fidelities.push_back(static_cast<std::uint8_t>(key.second));
        points.push_back(count);
    }
    auto group = root.create_group("blocks");
    group.attribute("meaning",
                    "blocks of ids of which every point was evaluated and only failures and what nobody in the block "
                    "dominates are kept");
    group.attribute("ids_per_block", task::BlockSummary::ids);
    group.put("block", blocks);
    auto fidelity = group.put("fidelity", fidelities);
    describe_flags(fidelity, models::fidelity_names);
    group.put("points", points);
}

void write_front(hdf5::Group& root, task::Columns const& columns, answers::ResultStore const& store) {
    auto group = root.create_group("front");
    std::vector<std::string> names, senses;
    for (auto const& objective : columns.objectives) {
        names.push_back(columns.metrics.at(objective.metric).name);
        senses.emplace_back(schema::name_of(objective.better));
    }
    auto const fidelity = front::finest_fidelity(store);
    group.attribute("objectives", names);
    group.attribute("better", senses);
    group.attribute("fidelity", name_of(fidelity));
    front::FrontHistory history;
    if (!columns.objectives.empty()) history = front::front_history(store, columns.objectives, fidelity);
    std::vector<std::uint64_t> ids;
    for (auto const id : history.front) ids.push_back(index_of(id));
    auto column = group.put("ids", ids);
    column.attribute("meaning", "points nobody dominates");
    if (!columns.objectives.empty()) write_history(group, history);
}

}  // namespace pimdse::dse::store::result::tables
