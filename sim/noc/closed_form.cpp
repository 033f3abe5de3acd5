#include "sim/noc/closed_form.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace pimdse::sim::noc::closed_form {

Cycle unicast(RouterTiming const& t, int hops, int flits) { return fixed(t) + per_hop(t) * hops + flits - 1; }

Cycle unicast_through(RouterTiming const& t, int hops, int flits) {
    if (t.fifo_flits >= credit_round_trip(t) + 1 || flits <= t.fifo_flits) return unicast(t, hops, flits);
    // leaves[flit][s]: cycle in which a flit leaves the node (s = 0) or a router of its route; the last router ejects
    // it. A flit leaves after the flit before it, and after the credit of the flit one FIFO size earlier has returned.
    auto const stages = static_cast<std::size_t>(hops) + 2;
    auto const count = static_cast<std::size_t>(flits), fifo = static_cast<std::size_t>(t.fifo_flits);
    std::vector<Cycle> leaves(count * stages);
    auto const at = [&](std::size_t flit, std::size_t s) -> Cycle& { return leaves[flit * stages + s]; };
    for (std::size_t flit = 0; flit < count; ++flit) {
        for (std::size_t s = 0; s < stages; ++s) {
            Cycle leave = 0;
            if (s > 0) leave = at(flit, s - 1) + (s == 1 ? t.injection : t.traversal) + (flit == 0 ? 1 : 0);
            if (flit > 0) leave = std::max(leave, at(flit - 1, s) + 1);
            if (flit >= fifo && s + 1 < stages) leave = std::max(leave, at(flit - fifo, s + 1) + t.traversal);
            at(flit, s) = leave;
        }
    }
    return leaves.back() + t.traversal;
}

Cycle broadcast(RouterTiming const& t, int depth, int flits, int messages) {
    return unicast(t, depth, flits) + static_cast<Cycle>(messages - 1) * (flits + 1);
}

Cycle reduction(RouterTiming const& t, int depth, int flits, int messages) {
    return fixed(t) + (per_hop(t) + t.adder) * depth + flits - 1 + static_cast<Cycle>(messages - 1) * (flits + 1);
}

Cycle reduction(RouterTiming const& t, Tree const& tree, int flits, int messages) {
    // Cycles of a head from each router to the root, computed from the root outwards.
    Cycle longest = 0;
    struct Open {
        Node node;
        Cycle route;
    };
    std::vector<Open> open{{tree.root(), 0}};
    std::size_t reached = 0;
    while (!open.empty()) {
        auto const [node, route] = open.back();
        open.pop_back();
        ++reached;
        auto const& branch = tree.at(node);
        Cycle const next = route + per_hop(t) + (std::popcount(Tree::copies(branch)) > 1 ? t.adder : 0);
        longest = std::max(longest, route);
        for (Port const port : {Port::north, Port::east, Port::south, Port::west}) {
            if ((branch.children & bit(port)) != 0) open.push_back({tree.neighbour(node, port), next});
        }
    }
    ensures(reached == tree.branches().size(), "every router of a tree is reached from its root");
    return fixed(t) + longest + flits - 1 + static_cast<Cycle>(messages - 1) * (flits + 1);
}

Cycle chain(RouterTiming const& t, std::int64_t hops, int flits, double service, std::int64_t hops_before) {
    auto const before = static_cast<double>(hops_before), all = before + static_cast<double>(hops);
    return hops * transfer(t, flits) + whole_part(std::floor(all * service) - std::floor(before * service));
}

Cycle transfer(RouterTiming const& t, int flits) {
    Cycle const fifo = t.fifo_flits;
    if (fifo >= credit_round_trip(t)) return flits;
    return (flits - 1) / fifo * credit_round_trip(t) + (flits - 1) % fifo + 1;
}

}  // namespace pimdse::sim::noc::closed_form
