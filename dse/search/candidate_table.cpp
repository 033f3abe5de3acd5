#include "dse/search/candidate_table.hpp"

#include "sim/base/check.hpp"

#include <limits>
#include <set>

namespace pimdse::dse::search {

CandidateTable::Item CandidateTable::add(space::PointId point) {
    sim::expects(ids_.size() < std::numeric_limits<Item>::max(), "fewer than 2^32 points are listed");
    ids_.push_back(point);
    states_.push_back(State::ready);
    ++counts_[static_cast<std::size_t>(State::ready)];
    return static_cast<Item>(ids_.size() - 1);
}

CandidateTable::Item CandidateTable::add_anywhere(space::PointId point) {
    auto const item = add(point);
    places_.emplace(point, item);
    return item;
}

void CandidateTable::set(Item item, State state) {
    --counts_[static_cast<std::size_t>(states_[item])];
    states_[item] = state;
    ++counts_[static_cast<std::size_t>(state)];
    if (state == State::failed) failed_.push_back(item);
}

CandidateTable::Item CandidateTable::item_of(space::PointId point) const {
    if (!places_.empty()) return places_.at(point);
    auto const at = std::lower_bound(ids_.begin(), ids_.end(), point);
    sim::expects(at != ids_.end() && *at == point, "the point was added");
    return static_cast<Item>(at - ids_.begin());
}

std::vector<CandidateTable::Item> CandidateTable::in(State state) const {
    std::vector<Item> items;
    for (Item item = 0; item < ids_.size(); ++item) {
        if (states_[item] == state) items.push_back(item);
    }
    return items;
}

InFlight InFlightPoints::complete(space::PointId point) {
    auto const at = std::ranges::find(in_flight_, point, &InFlight::point);
    sim::expects(at != in_flight_.end(), "a reported result was requested");
    InFlight flight = std::move(*at);
    in_flight_.erase(at);
    return flight;
}

InFlight const* InFlightPoints::blocker_of(space::PointId min_id, Values const& ideal) const {
    for (auto flight = in_flight_.rbegin(); flight != in_flight_.rend(); ++flight) {
        if (dominates(flight->ideal, flight->point, ideal, min_id, objectives_)) return &*flight;
    }
    return nullptr;
}

InFlight const* InFlightPoints::with(models::CycleKey key) const {
    auto const at = std::ranges::find(in_flight_, key, &InFlight::key);
    return at != in_flight_.end() ? &*at : nullptr;
}

std::vector<Certificate::BoundSensitivity> sensitivities_of(LowerBounds const& lower_bounds,
                                                            std::span<LowerBounds::Item const> pruned,
                                                            PrunedPointQueries const& known) {
    constexpr std::array shares{0.01, 0.02, 0.05, 0.10};
    std::vector<Certificate::BoundSensitivity> sensitivities;
    for (double const share : shares) {
        std::set<models::CycleKey> keys;
        for (auto const item : pruned) {
            if (known.is_dominated(item, lower_bounds.looser(item, share))) continue;
            if (auto const key = known.unevaluated_key(item)) keys.insert(*key);
        }
        sensitivities.push_back({share, keys.size()});
    }
    return sensitivities;
}

}  // namespace pimdse::dse::search
