#include "dse/front/plane_front.hpp"

#include <iterator>

namespace pimdse::dse::front {

Entry const* PlaneFront::cover(Vector const& values) const {
    auto const beyond = members_.upper_bound(values[0]);
    if (beyond == members_.begin()) return nullptr;
    auto const& best = std::prev(beyond)->second;
    return best.values[second_] <= values[second_] ? &best : nullptr;
}

bool PlaneFront::insert(Entry const& entry) {
    auto const beyond = members_.upper_bound(entry.values[0]);
    if (beyond != members_.begin()) {
        auto& best = std::prev(beyond)->second;
        if (best.values[second_] <= entry.values[second_]) {
            bool const equal = best.values[0] == entry.values[0] && best.values[second_] == entry.values[second_];
            if (!equal || best.point < entry.point) return false;
            best = entry;
            return true;
        }
    }
    auto const first = members_.lower_bound(entry.values[0]);
    auto last = first;
    while (last != members_.end() && last->second.values[second_] >= entry.values[second_]) ++last;
    members_.emplace_hint(members_.erase(first, last), entry.values[0], entry);
    return true;
}

std::vector<Entry> PlaneFront::entries() const {
    std::vector<Entry> all;
    all.reserve(members_.size());
    for (auto const& [first, entry] : members_) all.push_back(entry);
    return all;
}

}  // namespace pimdse::dse::front
