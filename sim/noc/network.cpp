#include "sim/noc/network.hpp"

#include "sim/base/check.hpp"
#include "sim/noc/chain_steps.hpp"
#include "sim/noc/router_steps.hpp"

#include <algorithm>
#include <limits>

namespace pimdse::sim::noc {
namespace {

constexpr Flit no_way = Flit{special_out} << 32U;

void eject_due(NetworkState& n) {
    std::size_t const at = n.slot(n.now);
    n.ejected_flits += n.ejecting[at];
    n.flits_alive -= n.ejecting[at];
    n.ejecting[at] = 0;
    for (auto const message : n.tails[at]) finish_message(n, message, n.now);
    n.tails[at].clear();
}

Cycle next_event(NetworkState const& n, Cycle at_most) {
    Cycle soonest = at_most;
    for (std::size_t ahead = 0; ahead <= n.slot_mask; ++ahead) {
        std::size_t const at = n.slot(n.now + static_cast<Cycle>(ahead));
        auto const* const told = n.told.data() + at * n.blocks;
        if (n.ejecting[at] == 0 && std::all_of(told, told + n.blocks, [](std::uint32_t any) { return any == 0; }))
            continue;
        soonest = std::min(soonest, n.now + static_cast<Cycle>(ahead));
        break;
    }
    for (auto const chain : n.live_chains) soonest = std::min(soonest, std::max(n.now, n.chains[chain].ready));
    return soonest;
}

}  // namespace

Network::Network(Mesh mesh, RouterTiming timing) : state_(mesh, timing) {}

MessageId Network::unicast(Node source, Node destination, std::int32_t flits) {
    auto& n = state_;
    MessageId const id = new_message(n, NetworkState::Kind::unicast, 0, flits, 1);
    queue_message(n, source, id, flits, way_of(n.mesh, source, destination));
    return id;
}

MessageId Network::broadcast(Tree tree, std::int32_t flits) {
    auto& n = state_;
    MessageId const id =
        new_message(n, NetworkState::Kind::broadcast, static_cast<std::int32_t>(n.trees.size()), flits, tree.members());
    queue_message(n, tree.root(), id, flits, no_way);
    n.flits_alive += static_cast<std::int64_t>(flits) * (tree.members() - 1);
    n.trees.push_back(std::move(tree));
    return id;
}

MessageId Network::reduction(Tree tree, std::int32_t flits) {
    auto& n = state_;
    MessageId const id =
        new_message(n, NetworkState::Kind::reduction, static_cast<std::int32_t>(n.trees.size()), flits, 1);
    for (auto const& branch : tree.branches()) {
        if (branch.member) queue_message(n, branch.node, id, flits, no_way);
    }
    n.flits_alive -= static_cast<std::int64_t>(flits) * (tree.members() - 1);
    n.trees.push_back(std::move(tree));
    return id;
}

MessageId Network::chain(std::vector<Node> path, std::int32_t flits, double service, std::int64_t hops_before) {
    auto& n = state_;
    expects(path.size() > 1, "a chain has a hop");
    expects(service >= n.timing.traversal - 1, "the service of a hop covers the arrival of its last flit");
    for (std::size_t i = 1; i < path.size(); ++i)
        expects(n.mesh.distance(path[i - 1], path[i]) == 1, "routers of a chain are neighbours");
    MessageId const id =
        new_message(n, NetworkState::Kind::chain, static_cast<std::int32_t>(n.chains.size()), flits, 1);
    n.messages[static_cast<std::size_t>(id)].injected = n.now;
    n.flits_alive += flits;
    n.live_chains.push_back(n.chains.size());
    n.chains.push_back({std::move(path), id, flits, service, hops_before, 0, 0, false, n.now});
    return id;
}

void Network::advance(Cycle at_most) {
    auto& n = state_;
    n.moved = false;
    n.soon = n.slot(n.now + n.timing.traversal);
    n.news_soon = n.news.data() + n.soon * n.nodes();
    n.told_soon = n.told.data() + n.soon * n.blocks;
    n.news_now = n.news.data() + n.slot(n.now) * n.nodes();
    n.news_next = n.news.data() + n.slot(n.now + 1) * n.nodes();
    n.told_next = n.told.data() + n.slot(n.now + 1) * n.blocks;
    eject_due(n);
    if (!n.live_chains.empty()) claim_chains(n);
    step_routers(n);
    if (!n.live_chains.empty()) move_chains(n);
    ++n.now;
    if (n.moved) return;
    // No router has anything to do: none will until something arrives, so the cycles between are the same and may be
    // skipped.
    constexpr Cycle never = std::numeric_limits<Cycle>::max();
    Cycle const next = next_event(n, never);
    n.stuck = next == never && n.flits_alive > 0;
    n.now = std::max(n.now, std::min(next, std::max(at_most, n.now)));
}

}  // namespace pimdse::sim::noc
