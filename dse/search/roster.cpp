#include "dse/search/roster.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace pimdse::dse::search {

Roster::Item Roster::add(space::PointId point) {
    sim::expects(ids_.size() < std::numeric_limits<Item>::max(), "fewer than 2^32 points are listed");
    ids_.push_back(point);
    states_.push_back(State::ready);
    ++counts_[static_cast<std::size_t>(State::ready)];
    return static_cast<Item>(ids_.size() - 1);
}

Roster::Item Roster::add_anywhere(space::PointId point) {
    auto const item = add(point);
    places_.emplace(point, item);
    return item;
}

void Roster::set(Item item, State state) {
    --counts_[static_cast<std::size_t>(states_[item])];
    states_[item] = state;
    ++counts_[static_cast<std::size_t>(state)];
    if (state == State::failed) failed_.push_back(item);
}

Roster::Item Roster::item_of(space::PointId point) const {
    if (!places_.empty()) return places_.at(point);
    auto const at = std::lower_bound(ids_.begin(), ids_.end(), point);
    sim::expects(at != ids_.end() && *at == point, "the point was added");
    return static_cast<Item>(at - ids_.begin());
}

std::vector<Roster::Item> Roster::in(State state) const {
    std::vector<Item> items;
    for (Item item = 0; item < ids_.size(); ++item) {
        if (states_[item] == state) items.push_back(item);
    }
    return items;
}

Flight Flights::land(space::PointId point) {
    auto const at = std::ranges::find(flights_, point, &Flight::point);
    sim::expects(at != flights_.end(), "what is told was asked for");
    Flight flight = std::move(*at);
    flights_.erase(at);
    return flight;
}

Flight const* Flights::blocker_of(space::PointId least, Values const& corner) const {
    for (auto flight = flights_.rbegin(); flight != flights_.rend(); ++flight) {
        if (covers(flight->corner, flight->point, corner, least, objectives_)) return &*flight;
    }
    return nullptr;
}

Flight* Flights::blocker_of(space::PointId least, Values const& corner) {
    return const_cast<Flight*>(static_cast<Flights const*>(this)->blocker_of(least, corner));
}

Flight* Flights::with(models::CycleKey key) {
    auto const at = std::ranges::find(flights_, key, &Flight::key);
    return at != flights_.end() ? &*at : nullptr;
}

std::vector<Certificate::Price> prices_of(Lows const& lows, std::span<Lows::Item const> closed, Closed const& known) {
    constexpr std::array shares{0.01, 0.02, 0.05, 0.10};
    std::vector<Certificate::Price> prices;
    for (double const share : shares) {
        std::set<models::CycleKey> keys;
        for (auto const item : closed) {
            if (known.is_covered(item, lows.looser(item, share))) continue;
            if (auto const key = known.unanswered_key(item)) keys.insert(*key);
        }
        prices.push_back({share, keys.size()});
    }
    return prices;
}

}  // namespace pimdse::dse::search
