#include "sim/noc/closed_form.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace pimdse::sim::noc::closed_form {

Cycle unicast(RouterTiming const& t, int hops, int flits) { return fixed(t) + per_hop(t) * hops + flits - 1; }

Cycle broadcast(RouterTiming const& t, int depth, int flits, int messages) {
    return unicast(t, depth, flits) + static_cast<Cycle>(messages - 1) * (flits + 1);
}

Cycle reduction(RouterTiming const& t, int depth, int flits, int messages) {
    return fixed(t) + (per_hop(t) + t.adder) * depth + flits - 1 + static_cast<Cycle>(messages - 1) * (flits + 1);
}

Cycle reduction(RouterTiming const& t, Tree const& tree, int flits, int messages) {
    // Way of a head from each router to the root, from the root outwards.
    Cycle longest = 0;
    struct Open {
        Node node;
        Cycle way;
    };
    std::vector<Open> open{{tree.root(), 0}};
    std::size_t reached = 0;
    while (!open.empty()) {
        auto const [node, way] = open.back();
        open.pop_back();
        ++reached;
        auto const& branch = tree.at(node);
        Cycle const next = way + per_hop(t) + (std::popcount(Tree::copies(branch)) > 1 ? t.adder : 0);
        longest = std::max(longest, way);
        for (Port const port : {Port::north, Port::east, Port::south, Port::west}) {
            if ((branch.children & bit(port)) != 0) open.push_back({tree.neighbour(node, port), next});
        }
    }
    ensures(reached == tree.branches().size(), "every router of a tree is reached from its root");
    return fixed(t) + longest + flits - 1 + static_cast<Cycle>(messages - 1) * (flits + 1);
}

Cycle chain(int routers, int flits, double service, std::int64_t hops_before) {
    auto const before = static_cast<double>(hops_before), hops = static_cast<double>(routers - 1);
    return static_cast<Cycle>(routers - 1) * flits +
           whole_part(std::floor((before + hops) * service) - std::floor(before * service));
}

Cycle transfer(RouterTiming const& t, int flits) {
    Cycle const fifo = t.fifo_flits;
    if (fifo >= credit_round_trip(t)) return flits;
    return (flits - 1) / fifo * credit_round_trip(t) + (flits - 1) % fifo + 1;
}

}  // namespace pimdse::sim::noc::closed_form
