#include "dse/front.hpp"

#include <algorithm>

namespace pimdse::dse {
namespace {

constexpr std::uint64_t most_rows = 128;

std::vector<models::Sense> senses_of(std::span<Objective const> objectives) {
    std::vector<models::Sense> senses;
    for (auto const& objective : objectives) senses.push_back(objective.better);
    return senses;
}

void values_of(ResultStore const& store, ResultStore::Row row, std::span<Objective const> objectives, std::vector<double>& into) {
    into.clear();
    for (auto const& objective : objectives) into.push_back(store.value(row, objective.metric));
}

bool counts(ResultStore const& store, ResultStore::Row row, models::Fidelity fidelity) {
    return store.status(row) == Status::ok && store.task(row).fidelity == fidelity;
}

/// Ids per row of the history: one block, or as many blocks as keep the history at 128 rows.
std::uint64_t ids_per_row(ResultStore const& store) {
    std::uint64_t const last = store.size() == 0 ? 0 : index_of(store.task(store.sorted().back()).point);
    std::uint64_t ids = BlockSummary::ids;
    while (last / ids >= most_rows) ids *= 2;
    return ids;
}

double share_of(Archive const& archive, ObjectiveBox const& box) {
    std::vector<double> points;
    for (auto const& member : archive.members()) points.insert(points.end(), member.values.begin(), member.values.end());
    return dominated_share(points, box);
}

}  // namespace

models::Fidelity finest_fidelity(ResultStore const& store) {
    auto finest = models::Fidelity::analytic;
    for (ResultStore::Row row = 0; row < store.size(); ++row) {
        if (store.status(row) == Status::ok) finest = std::max(finest, store.task(row).fidelity);
    }
    return finest;
}

Archive front_of(ResultStore const& store, std::span<Objective const> objectives, std::optional<models::Fidelity> fidelity,
                 std::function<bool(ResultStore::Row)> const& keep) {
    auto const wanted = fidelity.value_or(finest_fidelity(store));
    Archive archive(senses_of(objectives));
    std::vector<double> values;
    for (ResultStore::Row row = 0; row < store.size(); ++row) {
        if (!counts(store, row, wanted) || (keep && !keep(row))) continue;
        values_of(store, row, objectives, values);
        archive.insert(store.task(row).point, values);
    }
    return archive;
}

ObjectiveBox box_of(ResultStore const& store, std::span<Objective const> objectives, models::Fidelity fidelity) {
    auto box = ObjectiveBox::around_nothing(senses_of(objectives));
    std::vector<double> values;
    for (ResultStore::Row row = 0; row < store.size(); ++row) {
        if (!counts(store, row, fidelity)) continue;
        values_of(store, row, objectives, values);
        box.include(values);
    }
    return box;
}

FrontHistory front_history(ResultStore const& store, std::span<Objective const> objectives, models::Fidelity fidelity) {
    FrontHistory history;
    history.box = box_of(store, objectives, fidelity);
    history.ids_per_row = ids_per_row(store);
    Archive archive(senses_of(objectives));
    std::vector<double> values;
    std::uint64_t evaluations = 0;
    bool changed = false;
    double share = 0.0;
    auto const& rows = store.sorted();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        ++evaluations;
        if (counts(store, rows[i], fidelity)) {
            values_of(store, rows[i], objectives, values);
            changed |= archive.insert(store.task(rows[i]).point, values);
        }
        std::uint64_t const row = index_of(store.task(rows[i]).point) / history.ids_per_row;
        if (i + 1 < rows.size() && index_of(store.task(rows[i + 1]).point) / history.ids_per_row == row) continue;
        if (changed) share = share_of(archive, history.box);
        changed = false;
        history.first_id.push_back(row * history.ids_per_row);
        history.evaluations.push_back(evaluations);
        history.hypervolume.push_back(share);
        history.size.push_back(archive.size());
    }
    return history;
}

}  // namespace pimdse::dse
