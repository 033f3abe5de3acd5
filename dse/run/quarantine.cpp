#include "dse/run/quarantine.hpp"

#include "dse/search/point_counts.hpp"

#include <algorithm>
#include <numeric>

namespace pimdse::dse::run {

void Quarantine::started(store::journal::Started const& mark) {
    for (auto const point : mark.points) listed_.push_back({point, mark.fidelity});
    if (mark.points.empty())
        ids_[static_cast<std::size_t>(mark.fidelity)].add(index_of(mark.first), index_of(mark.first) + mark.count);
}

void Quarantine::settle(search::ResultStore const& store) {
    for (std::size_t i = 0; i < ids_.size(); ++i) {
        if (!ids_[i].empty()) ids_[i].subtract(evaluated_ids(store, static_cast<models::Fidelity>(i)));
    }
    for (auto const& task : listed_) {
        if (!store.contains(task)) ids_[static_cast<std::size_t>(task.fidelity)].add(task.point);
    }
    listed_.clear();
}

bool Quarantine::empty() const {
    return std::all_of(ids_.begin(), ids_.end(), [](space::IdSet const& ids) { return ids.empty(); });
}

std::uint64_t Quarantine::size() const {
    return std::accumulate(ids_.begin(), ids_.end(), std::uint64_t{0},
                           [](std::uint64_t sum, space::IdSet const& ids) { return sum + ids.size(); });
}

}  // namespace pimdse::dse::run
