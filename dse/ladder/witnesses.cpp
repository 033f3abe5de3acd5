#include "dse/ladder/witnesses.hpp"

#include <algorithm>

namespace pimdse::dse::ladder {

Witnesses::Witnesses(std::vector<front::Entry> members, Lows const& lows, std::size_t objectives)
    : members_(std::move(members)), lows_(lows), objectives_(objectives) {
    std::ranges::sort(members_, {}, &front::Entry::point);
}

bool Witnesses::put_closed(Lows::Item item, task::PointId point, task::Certificate& into) const {
    auto const corner = lows_.of(item);
    auto const reach = lows_.reach(corner);
    auto const witness = std::ranges::find_if(members_, [&](front::Entry const& member) {
        return covers(member.values, member.point, reach, point, objectives_);
    });
    if (witness == members_.end()) return false;
    into.closed.push_back(point);
    into.witnesses.push_back(witness->point);
    for (std::size_t i = 0; i < objectives_; ++i) {
        into.best[i].push_back(corner[i]);
        if (lows_.is_calibrated(item, i)) into.grounds[i].kind = models::Bound::calibrated;
    }
    return true;
}

}  // namespace pimdse::dse::ladder
