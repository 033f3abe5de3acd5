#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::sim::noc::closed_form {

Cycle unicast(RouterTiming const& t, int hops, int flits) { return fixed(t) + per_hop(t) * hops + flits - 1; }

Cycle broadcast(RouterTiming const& t, int depth, int flits, int messages) {
    return unicast(t, depth, flits) + static_cast<Cycle>(messages - 1) * (flits + 1);
}

Cycle reduction(RouterTiming const& t, int depth, int flits) { return fixed(t) + (per_hop(t) + t.adder) * depth + flits - 1; }

Cycle serial_broadcast(RouterTiming const& t, std::span<int const> hops, int flits) {
    Cycle latest = 0;
    for (std::size_t i = 0; i < hops.size(); ++i) {
        Cycle const sent = static_cast<Cycle>(i + 1) * (flits + 1);
        latest = std::max(latest, sent + fixed(t) + per_hop(t) * hops[i] - 2);
    }
    return latest;
}

Cycle chain(int routers, int flits, double service) {
    return static_cast<Cycle>(routers - 1) * flits + static_cast<Cycle>(std::floor(static_cast<double>(routers - 1) * service));
}

}  // namespace pimdse::sim::noc::closed_form
