#include "dse/ladder/roster.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <limits>

namespace pimdse::dse::ladder {

Roster::Item Roster::add(task::PointId point) {
    sim::expects(ids_.size() < std::numeric_limits<Item>::max(), "fewer than 2^32 points are listed");
    ids_.push_back(point);
    states_.push_back(State::ready);
    ++counts_[static_cast<std::size_t>(State::ready)];
    return static_cast<Item>(ids_.size() - 1);
}

Roster::Item Roster::add_anywhere(task::PointId point) {
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

Roster::Item Roster::item_of(task::PointId point) const {
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

}  // namespace pimdse::dse::ladder
