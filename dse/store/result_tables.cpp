#include "dse/store/result_tables.hpp"

#include "dse/search/front.hpp"
#include "dse/space/result.hpp"
#include "dse/store/file_table.hpp"
#include "dse/store/result_schema.hpp"
#include "sim/base/wire.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

namespace pimdse::dse::store::tables {
namespace {

using search::Certificate;

template <class History>
void history_table(FileTable<History>& table, History& history) {
    table.meaning("the front over the points in order of their ids, one row per block of ids");
    table.attribute("ids_per_row", history.ids_per_row);
    table.attribute("ideal_point", history.box.ideal);
    table.attribute("reference_point", history.box.reference);
    table.column("first_id", history.first_id);
    table.column("evaluations", history.evaluations);
    table.column("hypervolume", history.hypervolume, std::identity{}, "1",
                 "share of the box from ideal_point to reference_point that the front dominates; NaN where it was too "
                 "large for an exact number");
    table.column("size", history.size);
}

template <class C>
void audit(FileTable<C>& table, C& certificate) {
    std::vector<double> epsilon{certificate.epsilon};
    table.later_attribute("epsilon", epsilon);
    if (epsilon.size() != 1 || !(epsilon[0] >= 0.0)) table.group().damaged("epsilon is not a share");
    if constexpr (table.reads) certificate.epsilon = epsilon[0];
    table.later_attribute("audited", certificate.audited);
    table.later_attribute("audited_wrong", certificate.audited_wrong);
    table.later_attribute("audited_twins", certificate.audited_equal_keys);
    if (!table.has("lower", !certificate.sensitivities.empty())) return;
    auto lower = table.inner("lower");
    lower.meaning(
        "number of additional evaluations (`runs`) if all lower bounds that are not exact had been lower by `share` of "
        "themselves");
    lower.column("share", certificate.sensitivities, &Certificate::BoundSensitivity::share);
    lower.column("runs", certificate.sensitivities, &Certificate::BoundSensitivity::runs);
}

template <class C>
void pruned(FileTable<C>& table, C& certificate, std::vector<std::string> const& objectives) {
    table.meaning(
        "pruned points: `witness`, a member of the front, is as good in every objective as the point could be at best; "
        "where it is equal in all, its id is smaller");
    table.points(certificate.pruned);
    table.column("witness", certificate.witnesses);
    auto best = table.inner("best");
    if constexpr (table.reads) certificate.best.resize(objectives.size());
    for (std::size_t i = 0; i < objectives.size(); ++i) {
        best.column(schema::dataset_name(objectives[i]), certificate.best[i]);
        if (certificate.best[i].size() != certificate.pruned.size())
            table.group().damaged("columns of different length");
    }
}

template <class C>
void equal_keys(FileTable<C> table, C& certificate) {
    table.meaning(
        "equal-key points: their results at cycle level are those of their representatives, because their cycle keys "
        "are equal");
    table.points(certificate.equal_keys);
    table.column("representative", certificate.representatives);
}

template <class C, class Extents>
void extents(FileTable<C>& table, std::string const& name, Extents& extents, std::size_t numbers) {
    table.list(name, extents);
    if (extents.size() != numbers) table.group().damaged("boxes and extents differ in number");
}

/// Gives each grid its axes.
void share_out(std::vector<std::uint64_t> const& sizes, std::vector<Certificate::Grid>& grids,
               hdf5::Group const& group) {
    if (grids.empty() || sizes.empty() || sizes.size() % grids.size() != 0) group.damaged("grids without axes");
    if (std::ranges::find(sizes, 0U) != sizes.end()) group.damaged("an axis without positions");
    if (!std::ranges::is_sorted(grids, {}, &Certificate::Grid::first))
        group.damaged("grids are not in ascending order");
    auto const axes = static_cast<std::ptrdiff_t>(sizes.size() / grids.size());
    for (auto from = sizes.begin(); auto& grid : grids) grid.sizes.assign(std::exchange(from, from + axes), from);
}

/// How the points of boxes are numbered: one grid, a row of sizes, per machine.
template <class C>
void grids(FileTable<C>& root, FileTable<C>& pruned, C& certificate) {
    auto table = root.inner("grids");
    table.meaning(
        "pruned, open and refused points are boxes: the smallest id of each, and in `extents` its number of positions "
        "along each axis, box after box. Ids of a grid begin at `first`, in mixed radix over the axes with these "
        "`sizes`, the last one fastest");
    std::vector<std::uint64_t> sizes;
    for (auto const& grid : certificate.grids) sizes.insert(sizes.end(), grid.sizes.begin(), grid.sizes.end());
    table.column("first", certificate.grids, &Certificate::Grid::first);
    table.list("sizes", sizes);
    if constexpr (table.reads) share_out(sizes, certificate.grids, table.group());
    auto const axes = sizes.size() / certificate.grids.size();
    extents(root, "open_extents", certificate.open_extents, certificate.open.size() * axes);
    extents(pruned, "extents", certificate.pruned_extents, certificate.pruned.size() * axes);
    auto refused = root.inner("refused");
    refused.meaning("boxes without a point that is feasible at any level");
    refused.points(certificate.refused);
    extents(refused, "extents", certificate.refused_extents, certificate.refused.size() * axes);
}

template <class C>
void certificate_table(FileTable<C> table, C& certificate, std::vector<std::string> const& objectives) {
    table.meaning("proof that the front is that of all points, although few were evaluated at cycle level");
    if constexpr (!table.reads) table.group().attribute("statement", search::statement_of(certificate, objectives));
    auto named = objectives;
    table.attribute("objectives", named);
    if (named != objectives) table.group().damaged("its objectives are not those of the front");
    table.attribute("kinds", certificate.grounds, &Certificate::Ground::kind);
    table.attribute("slack", certificate.grounds, &Certificate::Ground::slack);
    if (certificate.grounds.size() != objectives.size())
        table.group().damaged("objectives and kinds of bounds differ in number");
    table.attribute("points", certificate.points);
    table.attribute("runs", certificate.runs);
    table.attribute("infeasible", certificate.infeasible);
    table.attribute("below", certificate.below);
    table.attribute("lag", certificate.lag);
    audit(table, certificate);
    auto of_pruned = table.inner("closed");
    pruned(of_pruned, certificate, objectives);
    equal_keys(table.inner("twins"), certificate);
    table.list("open", certificate.open);
    if (table.has("grids", !certificate.grids.empty())) grids(table, of_pruned, certificate);
}

/// Writes a group of pairs of texts as two columns.
template <class Pairs>
void write_pairs(hdf5::Group& root, char const* name, std::string_view meaning, Pairs const& pairs,
                 std::array<char const*, 2> const& columns) {
    std::vector<std::string_view> first, second;
    for (auto const& [one, other] : pairs) {
        first.push_back(one);
        second.push_back(other);
    }
    auto group = root.create_group(name);
    group.attribute("meaning", meaning);
    group.put_texts(columns[0], first);
    group.put_texts(columns[1], second);
}

}  // namespace

void describe_flags(hdf5::Object& object, std::span<std::string_view const> names) {
    std::vector<std::uint8_t> values(names.size());
    std::iota(values.begin(), values.end(), std::uint8_t{0});
    object.attribute("flag_values", std::span<std::uint8_t const>(values));
    object.attribute("flag_meanings", schema::flag_meanings(names));
}

void write_inputs(hdf5::Group& root, space::Columns const& columns) {
    write_pairs(root, "inputs", "files that the results depend on, and their SHA-256", columns.input_hashes,
                {"file", "sha256"});
}

void write_machine_files(hdf5::Group& root, space::Columns const& columns) {
    if (columns.machine_files.empty()) return;
    write_pairs(root, "machine_files",
                "the user's own files from which machines and tables were read, with their content",
                columns.machine_files, {"file", "text"});
}

std::string name_of_points(hdf5::Group const& group) {
    return group.has(points_of_group) ? points_of_group : "point_id";
}

void write_choices(hdf5::Group& group, models::Parameters const& parameters) {
    auto choices = group.create_group("choices");
    choices.attribute("meaning", "the choices of each parameter");
    auto items = group.create_group("items");
    items.attribute("meaning", "the items that each permutation orders");
    for (auto const& parameter : parameters) {
        if (!parameter.choices.empty()) choices.put_texts(parameter.name, parameter.choices);
        if (!parameter.items.empty()) items.put_texts(parameter.name, parameter.items);
    }
}

void write_failures(hdf5::Group& root, space::Columns const& columns, search::ResultStore const& store,
                    std::span<search::Row const> rows) {
    std::vector<std::uint64_t> points;
    std::vector<std::uint8_t> fidelities;
    std::vector<std::string> commands;
    std::vector<std::string_view> classes, rules, reasons;
    std::vector<double> violations;
    for (auto const row : rows) {
        if (store.status(row) == search::Status::ok) continue;
        points.push_back(index_of(store.task(row).point));
        fidelities.push_back(static_cast<std::uint8_t>(store.task(row).fidelity));
        classes.push_back(name_of(store.status(row)));
        rules.push_back(store.rule(row));
        reasons.push_back(store.reason(row));
        violations.push_back(store.violation(row));
        commands.push_back(store.status(row) == search::Status::infeasible ? ""
                                                                           : replay_command(columns, store.task(row)));
    }
    auto group = root.create_group("failures");
    auto point = group.put(points_of_group, points);
    point.make_scale(points_of_group);
    std::array<hdf5::Column const*, 1> const scale{&point};
    auto const along = [&](hdf5::Column column) {
        column.attach_scales(scale);
        return column;
    };
    auto fidelity = along(group.put("fidelity", fidelities));
    describe_flags(fidelity, models::fidelity_names);
    along(group.put_texts("class", classes));
    along(group.put_texts("rule", rules));
    along(group.put_texts("reason", reasons));
    auto violation = along(group.put("violation", violations));
    violation.attribute("meaning",
                        "by how much an infeasible point breaks the conditions, relative to their limits; infinite "
                        "where that is not known");
    auto replay = along(group.put_texts("replay", commands));
    replay.attribute("meaning", "the command that evaluates the point again, if it failed through a bug");
}

void write_rules(hdf5::Group& root, search::ResultStore const& store) {
    std::vector<std::string_view> names;
    std::vector<std::uint64_t> points;
    for (auto const& [rule, count] : store.counts_per_rule()) {
        names.push_back(rule);
        points.push_back(count);
    }
    auto group = root.create_group("rules");
    group.attribute("meaning",
                    "number of points that broke each rule or failed in each way, including points that are not kept");
    group.put_texts("rule", names);
    group.put("points", points);
}

void write_blocks(hdf5::Group& root, search::ResultStore const& store) {
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
                    "blocks of ids whose points were all evaluated; only failures and points that no other point of "
                    "the block dominates are kept");
    group.attribute("ids_per_block", space::BlockSummary::ids);
    group.put("block", blocks);
    auto fidelity = group.put("fidelity", fidelities);
    describe_flags(fidelity, models::fidelity_names);
    group.put("points", points);
}

void write_front(hdf5::Group& root, space::Columns const& columns, search::ResultStore const& store) {
    auto group = root.create_group("front");
    std::vector<std::string> names, senses;
    for (auto const& objective : columns.objectives) {
        names.push_back(columns.metrics.at(objective.metric).name);
        senses.emplace_back(schema::name_of(objective.better));
    }
    auto const fidelity = search::finest_fidelity(store);
    group.attribute("objectives", names);
    group.attribute("better", senses);
    group.attribute("fidelity", name_of(fidelity));
    search::FrontHistory history;
    if (!columns.objectives.empty()) history = search::front_history(store, columns.objectives, fidelity);
    std::vector<std::uint64_t> ids;
    for (auto const id : history.front) ids.push_back(index_of(id));
    auto column = group.put("ids", ids);
    column.attribute("meaning", "points that no other point dominates");
    if (columns.objectives.empty()) return;
    FileTable<search::FrontHistory const> table(group, "history");
    history_table(table, std::as_const(history));
}

void read_history(hdf5::Group const& front, search::FrontHistory& into) {
    if (!front.has("history")) return;
    FileTable<search::FrontHistory> table(front, "history");
    history_table(table, into);
}

void write_certificate(hdf5::Group& root, space::Columns const& columns, Certificate const& certificate) {
    certificate_table<Certificate const>({root, "certificate"}, certificate, search::objective_names(columns));
}

std::optional<Certificate> read_certificate(hdf5::Group const& root, space::Columns const& columns) {
    if (!root.has("certificate")) return std::nullopt;
    Certificate certificate;
    certificate_table<Certificate>({root, "certificate"}, certificate, search::objective_names(columns));
    return certificate;
}

void write_open_blocks(hdf5::Group& root, search::ResultStore const& store) {
    if (store.open_blocks().empty()) return;
    space::Bytes records;
    for (auto const& [key, open] : store.open_blocks()) {
        for (auto const& [first, part] : open.parts) {
            space::Bytes record;
            encode(part, record);
            sim::wire::put(records, static_cast<std::uint32_t>(record.size()));
            records.insert(records.end(), record.begin(), record.end());
        }
    }
    auto group = root.create_group("open_blocks");
    group.attribute("meaning", "parts of blocks of ids that are not complete, as records of the journal; for --resume");
    std::vector<std::uint8_t> bytes(records.size());
    std::transform(records.begin(), records.end(), bytes.begin(),
                   [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
    group.put("records", bytes);
}

void read_open_blocks(hdf5::Group const& root, search::ResultStore& store) {
    if (!root.has("open_blocks")) return;
    auto const bytes = root.open_group("open_blocks").open_column("records").read<std::uint8_t>();
    sim::wire::Reader from(std::as_bytes(std::span(bytes)));
    try {
        while (!from.empty()) {
            auto const length = from.take<std::uint32_t>();
            auto const record = length ? from.take_bytes(*length) : std::nullopt;
            if (!record) throw space::CodecError("a part of a block is cut off");
            store.add(space::decode_part(*record));
        }
    } catch (space::CodecError const& error) {
        root.damaged(error.what());
    }
}

}  // namespace pimdse::dse::store::tables
