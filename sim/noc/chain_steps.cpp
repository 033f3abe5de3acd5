#include "sim/noc/chain_steps.hpp"

#include "sim/base/counting.hpp"

#include <cmath>

namespace pimdse::sim::noc {
namespace {

/// True when it has arrived.
bool chain_step(NetworkState& n, NetworkState::Chain& chain) {
    if (!chain.owns) {
        if (chain.hop + 1 < chain.path.size() || chain.ready > n.now + 1) return false;
        n.ejected_flits += chain.flits;
        n.flits_alive -= chain.flits;
        finish_message(n, chain.message, chain.ready);
        return true;
    }
    auto const router = static_cast<std::size_t>(chain.path[chain.hop]);
    auto const out = static_cast<unsigned>(index(n.mesh.towards(chain.path[chain.hop], chain.path[chain.hop + 1])));
    auto& now = n.routers[router];
    if (lanes::at(now.credits, out) == 0) return false;
    now.credits -= lanes::one(out);
    ++n.link_flits[router * ports + out];
    n.moved = true;
    // The adder takes the flit out of the FIFO as it arrives; its credit takes the way back from there.
    post_late_news(n, n.now + 2 * n.timing.traversal, router, 1U << (credits_at + out));
    if (++chain.sent < chain.flits) return false;
    chain.sent = 0;
    chain.owns = false;
    now.owned &= ~(1U << out);
    wake_next(n, router);
    auto const hop = static_cast<double>(chain.hops_before) + static_cast<double>(chain.hop);
    chain.ready = n.now + 1 + whole_part(std::floor((hop + 1.0) * chain.service) - std::floor(hop * chain.service));
    ++chain.hop;
    return false;
}

}  // namespace

void claim_chains(NetworkState& n) {
    for (auto const at : n.live_chains) {
        auto& chain = n.chains[at];
        if (chain.owns || chain.ready > n.now || chain.hop + 1 >= chain.path.size()) continue;
        Node const router = chain.path[chain.hop];
        Mask const out = bit(n.mesh.towards(router, chain.path[chain.hop + 1]));
        auto& there = n.routers[static_cast<std::size_t>(router)];
        if (((there.owned | lanes::outputs_of(there.moving)) & out) != 0) continue;
        there.owned |= out;
        chain.owns = n.moved = true;
    }
}

void move_chains(NetworkState& n) {
    std::erase_if(n.live_chains, [&n](std::size_t at) { return chain_step(n, n.chains[at]); });
}

}  // namespace pimdse::sim::noc
