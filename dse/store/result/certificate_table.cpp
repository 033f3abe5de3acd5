#include "dse/store/result/certificate_table.hpp"

#include "dse/store/result/result_schema.hpp"

#include "sim/base/bounded.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace pimdse::dse::store::result::tables {
namespace {

void put_ids(hdf5::Group& group, std::string const& name, std::vector<task::PointId> const& ids) {
    std::vector<std::uint64_t> numbers(ids.size());
    std::ranges::transform(ids, numbers.begin(), [](task::PointId id) { return index_of(id); });
    group.put(name, numbers);
}

std::vector<task::PointId> ids_in(hdf5::Group const& group, std::string const& name) {
    std::vector<task::PointId> ids;
    for (auto const number : group.open_column(name).read<std::uint64_t>()) ids.push_back(task::PointId{number});
    return ids;
}

void put_extents(hdf5::Group& group, std::string const& name, std::vector<std::uint32_t> const& extents) {
    group.put(name, std::vector<std::int32_t>(extents.begin(), extents.end()));
}

std::vector<std::uint32_t> extents_in(hdf5::Group const& group, std::string const& name, std::size_t numbers) {
    auto const read = group.open_column(name).read<std::int32_t>();
    if (read.size() != numbers) group.damaged("boxes without extents");
    if (std::ranges::any_of(read, [](auto count) { return count < 1; })) group.damaged("a box without points");
    return {read.begin(), read.end()};
}

void write_grounds(hdf5::Group& group, task::Certificate const& certificate) {
    std::vector<std::string> kinds;
    std::vector<double> slacks;
    for (auto const& ground : certificate.grounds) {
        kinds.emplace_back(sim::name_of(sim::BoundKinds(ground.kind)));
        slacks.push_back(ground.slack);
    }
    group.attribute("kinds", kinds);
    group.attribute("slack", std::span<double const>(slacks));
}

void write_audit(hdf5::Group& group, task::Certificate const& certificate) {
    group.attribute("audited", certificate.audited);
    group.attribute("audited_wrong", certificate.audited_wrong);
    group.attribute("audited_twins", certificate.audited_twins);
    if (certificate.prices.empty()) return;
    std::vector<double> shares;
    std::vector<std::uint64_t> runs;
    for (auto const& price : certificate.prices) {
        shares.push_back(price.share);
        runs.push_back(price.runs);
    }
    auto prices = group.create_group("lower");
    prices.attribute("meaning",
                     "had lows that are not exact been lower by `share` of themselves, so many more answers");
    prices.put("share", shares);
    prices.put("runs", runs);
}

/// Files of before there was an audit have none of this.
void read_audit(hdf5::Group const& group, task::Certificate& into) {
    if (group.has_attribute("epsilon")) {
        auto const epsilon = group.reals("epsilon");
        if (epsilon.size() != 1 || !(epsilon[0] >= 0.0)) group.damaged("an epsilon that is no share");
        into.epsilon = epsilon[0];
    }
    if (group.has_attribute("audited")) into.audited = group.number("audited");
    if (group.has_attribute("audited_wrong")) into.audited_wrong = group.number("audited_wrong");
    if (group.has_attribute("audited_twins")) into.audited_twins = group.number("audited_twins");
    if (!group.has("lower")) return;
    auto const prices = group.open_group("lower");
    auto const shares = prices.open_column("share").read<double>();
    auto const runs = prices.open_column("runs").read<std::uint64_t>();
    if (runs.size() != shares.size()) prices.damaged("columns of different length");
    for (std::size_t i = 0; i < shares.size(); ++i) into.prices.push_back({shares[i], runs[i]});
}

void write_closed(hdf5::Group& certificate, std::vector<std::string> const& objectives, task::Certificate const& from) {
    auto group = certificate.create_group("closed");
    group.attribute("meaning",
                    "points that the front has a witness against: it is as good as the point could be at best, in "
                    "every objective; where it is equal in all, its id is smaller");
    put_ids(group, "point_id", from.closed);
    put_ids(group, "witness", from.witnesses);
    auto best = group.create_group("best");
    for (std::size_t i = 0; i < objectives.size(); ++i) best.put(schema::dataset_name(objectives[i]), from.best[i]);
}

void write_twins(hdf5::Group& certificate, task::Certificate const& from) {
    auto group = certificate.create_group("twins");
    group.attribute("meaning",
                    "points whose answer at cycle level is that of another, because their cycle keys are equal");
    put_ids(group, "point_id", from.twins);
    put_ids(group, "representative", from.representatives);
}

/// How the points of boxes are numbered, one row of sizes per machine.
void write_grids(hdf5::Group& certificate, task::Certificate const& from) {
    auto group = certificate.create_group("grids");
    group.attribute("meaning",
                    "closed, open and refused points are boxes: the smallest id of each, and in `extents` how many "
                    "positions it has along each axis, box after box. Ids of a grid begin at `first`, in mixed radix "
                    "over the axes with these `sizes`, the last one fastest");
    std::vector<std::uint64_t> firsts, sizes;
    for (auto const& grid : from.grids) {
        firsts.push_back(grid.first);
        sizes.insert(sizes.end(), grid.sizes.begin(), grid.sizes.end());
    }
    group.put("first", firsts);
    group.put("sizes", sizes);
    put_extents(certificate, "open_extents", from.open_extents);
    auto closed = certificate.open_group("closed");
    put_extents(closed, "extents", from.closed_extents);
    auto refused = certificate.create_group("refused");
    refused.attribute("meaning", "boxes without a point that is feasible at any level");
    put_ids(refused, "point_id", from.refused);
    put_extents(refused, "extents", from.refused_extents);
}

void read_grids(hdf5::Group const& certificate, task::Certificate& into) {
    auto const group = certificate.open_group("grids");
    auto const firsts = group.open_column("first").read<std::uint64_t>();
    auto const sizes = group.open_column("sizes").read<std::uint64_t>();
    if (firsts.empty() || sizes.empty() || sizes.size() % firsts.size() != 0) group.damaged("grids without axes");
    if (std::ranges::find(sizes, 0U) != sizes.end()) group.damaged("an axis without positions");
    if (!std::ranges::is_sorted(firsts)) group.damaged("grids in no order");
    std::size_t const axes = sizes.size() / firsts.size();
    for (std::size_t g = 0; g < firsts.size(); ++g) {
        auto const from = sizes.begin() + static_cast<std::ptrdiff_t>(g * axes);
        into.grids.push_back({firsts[g], {from, from + static_cast<std::ptrdiff_t>(axes)}});
    }
    into.open_extents = extents_in(certificate, "open_extents", into.open.size() * axes);
    into.closed_extents = extents_in(certificate.open_group("closed"), "extents", into.closed.size() * axes);
    auto const refused = certificate.open_group("refused");
    into.refused = ids_in(refused, "point_id");
    into.refused_extents = extents_in(refused, "extents", into.refused.size() * axes);
}

void read_grounds(hdf5::Group const& group, task::Certificate& into) {
    auto const kinds = group.texts("kinds");
    auto const slacks = group.reals("slack");
    if (kinds.size() != slacks.size()) group.damaged("kinds and slacks of different number");
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        auto const found = std::ranges::find(sim::bound_names, kinds[i]);
        if (found - sim::bound_names.begin() > 2) group.damaged("unknown kind of bound");
        into.grounds.push_back({static_cast<sim::Bound>(found - sim::bound_names.begin()), slacks[i]});
    }
}

void read_closed(hdf5::Group const& group, std::vector<std::string> const& objectives, task::Certificate& into) {
    into.closed = ids_in(group, "point_id");
    into.witnesses = ids_in(group, "witness");
    auto const best = group.open_group("best");
    for (auto const& name : objectives)
        into.best.push_back(best.open_column(schema::dataset_name(name)).read<double>());
    bool const long_enough =
        std::ranges::all_of(into.best, [&](auto const& column) { return column.size() == into.closed.size(); });
    if (into.witnesses.size() != into.closed.size() || !long_enough) group.damaged("columns of different length");
}

}  // namespace

void write_certificate(hdf5::Group& root, task::Columns const& columns, task::Certificate const& certificate) {
    auto const objectives = task::objective_names(columns);
    auto group = root.create_group("certificate");
    group.attribute("meaning", "why the front is that of all points, of which few were answered at cycle level");
    group.attribute("statement", task::statement_of(certificate, objectives));
    group.attribute("objectives", objectives);
    write_grounds(group, certificate);
    group.attribute("points", certificate.points);
    group.attribute("runs", certificate.runs);
    group.attribute("infeasible", certificate.infeasible);
    group.attribute("below", certificate.below);
    group.attribute("lag", certificate.lag);
    group.attribute("epsilon", std::span<double const>(&certificate.epsilon, 1));
    write_audit(group, certificate);
    write_closed(group, objectives, certificate);
    write_twins(group, certificate);
    put_ids(group, "open", certificate.open);
    if (!certificate.grids.empty()) write_grids(group, certificate);
}

std::optional<task::Certificate> read_certificate(hdf5::Group const& root, task::Columns const& columns) {
    if (!root.has("certificate")) return std::nullopt;
    auto const group = root.open_group("certificate");
    auto const objectives = task::objective_names(columns);
    if (group.texts("objectives") != objectives) group.damaged("its objectives are not those of the front");
    task::Certificate certificate;
    read_grounds(group, certificate);
    if (certificate.grounds.size() != objectives.size()) group.damaged("objectives without a kind");
    certificate.points = group.number("points");
    certificate.runs = group.number("runs");
    certificate.infeasible = group.number("infeasible");
    certificate.below = group.number("below");
    certificate.lag = group.number("lag");
    read_audit(group, certificate);
    read_closed(group.open_group("closed"), objectives, certificate);
    auto const twins = group.open_group("twins");
    certificate.twins = ids_in(twins, "point_id");
    certificate.representatives = ids_in(twins, "representative");
    if (certificate.representatives.size() != certificate.twins.size()) twins.damaged("columns of different length");
    certificate.open = ids_in(group, "open");
    if (group.has("grids")) read_grids(group, certificate);
    return certificate;
}

}  // namespace pimdse::dse::store::result::tables
