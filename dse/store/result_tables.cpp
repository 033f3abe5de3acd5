#include "dse/store/result_tables.hpp"

#include "dse/base/wire.hpp"
#include "dse/search/front.hpp"
#include "dse/space/result.hpp"
#include "dse/store/result_schema.hpp"
#include "sim/base/bounded.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

namespace pimdse::dse::store::tables {
namespace {

void write_history(hdf5::Group& front, search::FrontHistory const& history) {
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

void put_ids(hdf5::Group& group, std::string const& name, std::vector<space::PointId> const& ids) {
    std::vector<std::uint64_t> numbers(ids.size());
    std::ranges::transform(ids, numbers.begin(), [](space::PointId id) { return index_of(id); });
    group.put(name, numbers);
}

std::vector<space::PointId> ids_in(hdf5::Group const& group, std::string const& name) {
    std::vector<space::PointId> ids;
    for (auto const number : group.open_column(name).read<std::uint64_t>()) ids.push_back(space::PointId{number});
    return ids;
}

void put_extents(hdf5::Group& group, std::string const& name, std::vector<std::uint32_t> const& extents) {
    group.put(name, std::vector<std::int32_t>(extents.begin(), extents.end()));
}

std::vector<std::uint32_t> extents_in(hdf5::Group const& group, std::string const& name, std::size_t numbers) {
    auto const read = group.open_column(name).read<std::int32_t>();
    if (read.size() != numbers) group.damaged("boxes and extents differ in number");
    if (std::ranges::any_of(read, [](auto count) { return count < 1; })) group.damaged("a box without points");
    return {read.begin(), read.end()};
}

void write_grounds(hdf5::Group& group, search::Certificate const& certificate) {
    std::vector<std::string> kinds;
    std::vector<double> slacks;
    for (auto const& ground : certificate.grounds) {
        kinds.emplace_back(sim::name_of(sim::BoundKinds(ground.kind)));
        slacks.push_back(ground.slack);
    }
    group.attribute("kinds", kinds);
    group.attribute("slack", std::span<double const>(slacks));
}

void write_audit(hdf5::Group& group, search::Certificate const& certificate) {
    group.attribute("audited", certificate.audited);
    group.attribute("audited_wrong", certificate.audited_wrong);
    group.attribute("audited_twins", certificate.audited_equal_keys);
    if (certificate.sensitivities.empty()) return;
    std::vector<double> shares;
    std::vector<std::uint64_t> runs;
    for (auto const& sensitivity : certificate.sensitivities) {
        shares.push_back(sensitivity.share);
        runs.push_back(sensitivity.runs);
    }
    auto sensitivities = group.create_group("lower");
    sensitivities.attribute("meaning",
                            "number of additional evaluations (`runs`) if all lower bounds that are not exact had been "
                            "lower by `share` of themselves");
    sensitivities.put("share", shares);
    sensitivities.put("runs", runs);
}

/// Reads the audit; files from before audits existed have none.
void read_audit(hdf5::Group const& group, search::Certificate& into) {
    if (group.has_attribute("epsilon")) {
        auto const epsilon = group.reals("epsilon");
        if (epsilon.size() != 1 || !(epsilon[0] >= 0.0)) group.damaged("epsilon is not a share");
        into.epsilon = epsilon[0];
    }
    if (group.has_attribute("audited")) into.audited = group.number("audited");
    if (group.has_attribute("audited_wrong")) into.audited_wrong = group.number("audited_wrong");
    if (group.has_attribute("audited_twins")) into.audited_equal_keys = group.number("audited_twins");
    if (!group.has("lower")) return;
    auto const sensitivities = group.open_group("lower");
    auto const shares = sensitivities.open_column("share").read<double>();
    auto const runs = sensitivities.open_column("runs").read<std::uint64_t>();
    if (runs.size() != shares.size()) sensitivities.damaged("columns of different length");
    for (std::size_t i = 0; i < shares.size(); ++i) into.sensitivities.push_back({shares[i], runs[i]});
}

void write_pruned(hdf5::Group& certificate, std::vector<std::string> const& objectives,
                  search::Certificate const& from) {
    auto group = certificate.create_group("closed");
    group.attribute("meaning",
                    "pruned points: `witness`, a member of the front, is as good in every objective as the point could "
                    "be at best; where it is equal in all, its id is smaller");
    put_ids(group, points_of_group, from.pruned);
    put_ids(group, "witness", from.witnesses);
    auto best = group.create_group("best");
    for (std::size_t i = 0; i < objectives.size(); ++i) best.put(schema::dataset_name(objectives[i]), from.best[i]);
}

void write_equal_keys(hdf5::Group& certificate, search::Certificate const& from) {
    auto group = certificate.create_group("twins");
    group.attribute("meaning",
                    "equal-key points: their results at cycle level are those of their representatives, because their "
                    "cycle keys are equal");
    put_ids(group, points_of_group, from.equal_keys);
    put_ids(group, "representative", from.representatives);
}

/// Writes how the points of boxes are numbered: one grid, a row of sizes, per machine.
void write_grids(hdf5::Group& certificate, search::Certificate const& from) {
    auto group = certificate.create_group("grids");
    group.attribute("meaning",
                    "pruned, open and refused points are boxes: the smallest id of each, and in `extents` its number "
                    "of positions along each axis, box after box. Ids of a grid begin at `first`, in mixed radix over "
                    "the axes with these `sizes`, the last one fastest");
    std::vector<std::uint64_t> firsts, sizes;
    for (auto const& grid : from.grids) {
        firsts.push_back(grid.first);
        sizes.insert(sizes.end(), grid.sizes.begin(), grid.sizes.end());
    }
    group.put("first", firsts);
    group.put("sizes", sizes);
    put_extents(certificate, "open_extents", from.open_extents);
    auto pruned = certificate.open_group("closed");
    put_extents(pruned, "extents", from.pruned_extents);
    auto refused = certificate.create_group("refused");
    refused.attribute("meaning", "boxes without a point that is feasible at any level");
    put_ids(refused, points_of_group, from.refused);
    put_extents(refused, "extents", from.refused_extents);
}

void read_grids(hdf5::Group const& certificate, search::Certificate& into) {
    auto const group = certificate.open_group("grids");
    auto const firsts = group.open_column("first").read<std::uint64_t>();
    auto const sizes = group.open_column("sizes").read<std::uint64_t>();
    if (firsts.empty() || sizes.empty() || sizes.size() % firsts.size() != 0) group.damaged("grids without axes");
    if (std::ranges::find(sizes, 0U) != sizes.end()) group.damaged("an axis without positions");
    if (!std::ranges::is_sorted(firsts)) group.damaged("grids are not in ascending order");
    std::size_t const axes = sizes.size() / firsts.size();
    for (std::size_t g = 0; g < firsts.size(); ++g) {
        auto const from = sizes.begin() + static_cast<std::ptrdiff_t>(g * axes);
        into.grids.push_back({firsts[g], {from, from + static_cast<std::ptrdiff_t>(axes)}});
    }
    into.open_extents = extents_in(certificate, "open_extents", into.open.size() * axes);
    into.pruned_extents = extents_in(certificate.open_group("closed"), "extents", into.pruned.size() * axes);
    auto const refused = certificate.open_group("refused");
    into.refused = ids_in(refused, name_of_points(refused));
    into.refused_extents = extents_in(refused, "extents", into.refused.size() * axes);
}

void read_grounds(hdf5::Group const& group, search::Certificate& into) {
    auto const kinds = group.texts("kinds");
    auto const slacks = group.reals("slack");
    if (kinds.size() != slacks.size()) group.damaged("kinds and slacks differ in number");
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        auto const found = std::ranges::find(sim::bound_names, kinds[i]);
        if (found - sim::bound_names.begin() > 2) group.damaged("unknown kind of bound");
        into.grounds.push_back({static_cast<sim::Bound>(found - sim::bound_names.begin()), slacks[i]});
    }
}

void read_pruned(hdf5::Group const& group, std::vector<std::string> const& objectives, search::Certificate& into) {
    into.pruned = ids_in(group, name_of_points(group));
    into.witnesses = ids_in(group, "witness");
    auto const best = group.open_group("best");
    for (auto const& name : objectives)
        into.best.push_back(best.open_column(schema::dataset_name(name)).read<double>());
    bool const long_enough =
        std::ranges::all_of(into.best, [&](auto const& column) { return column.size() == into.pruned.size(); });
    if (into.witnesses.size() != into.pruned.size() || !long_enough) group.damaged("columns of different length");
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
    if (!columns.objectives.empty()) write_history(group, history);
}

void write_certificate(hdf5::Group& root, space::Columns const& columns, search::Certificate const& certificate) {
    auto const objectives = search::objective_names(columns);
    auto group = root.create_group("certificate");
    group.attribute("meaning",
                    "proof that the front is that of all points, although few were evaluated at cycle level");
    group.attribute("statement", search::statement_of(certificate, objectives));
    group.attribute("objectives", objectives);
    write_grounds(group, certificate);
    group.attribute("points", certificate.points);
    group.attribute("runs", certificate.runs);
    group.attribute("infeasible", certificate.infeasible);
    group.attribute("below", certificate.below);
    group.attribute("lag", certificate.lag);
    group.attribute("epsilon", std::span<double const>(&certificate.epsilon, 1));
    write_audit(group, certificate);
    write_pruned(group, objectives, certificate);
    write_equal_keys(group, certificate);
    put_ids(group, "open", certificate.open);
    if (!certificate.grids.empty()) write_grids(group, certificate);
}

std::optional<search::Certificate> read_certificate(hdf5::Group const& root, space::Columns const& columns) {
    if (!root.has("certificate")) return std::nullopt;
    auto const group = root.open_group("certificate");
    auto const objectives = search::objective_names(columns);
    if (group.texts("objectives") != objectives) group.damaged("its objectives are not those of the front");
    search::Certificate certificate;
    read_grounds(group, certificate);
    if (certificate.grounds.size() != objectives.size())
        group.damaged("objectives and kinds of bounds differ in number");
    certificate.points = group.number("points");
    certificate.runs = group.number("runs");
    certificate.infeasible = group.number("infeasible");
    certificate.below = group.number("below");
    certificate.lag = group.number("lag");
    read_audit(group, certificate);
    read_pruned(group.open_group("closed"), objectives, certificate);
    auto const equal_keys = group.open_group("twins");
    certificate.equal_keys = ids_in(equal_keys, name_of_points(equal_keys));
    certificate.representatives = ids_in(equal_keys, "representative");
    if (certificate.representatives.size() != certificate.equal_keys.size())
        equal_keys.damaged("columns of different length");
    certificate.open = ids_in(group, "open");
    if (group.has("grids")) read_grids(group, certificate);
    return certificate;
}

void write_open_blocks(hdf5::Group& root, search::ResultStore const& store) {
    if (store.open_blocks().empty()) return;
    space::Bytes records;
    for (auto const& [key, open] : store.open_blocks()) {
        for (auto const& [first, part] : open.parts) {
            space::Bytes record;
            encode(part, record);
            base::wire::put(records, static_cast<std::uint32_t>(record.size()));
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
    base::wire::Reader from(std::as_bytes(std::span(bytes)));
    while (!from.empty()) {
        auto const length = from.take<std::uint32_t>();
        auto const record = length ? from.take_bytes(*length) : std::nullopt;
        if (!record) throw space::CodecError("a part of a block is cut off");
        store.add(space::decode_part(*record));
    }
}

}  // namespace pimdse::dse::store::tables
