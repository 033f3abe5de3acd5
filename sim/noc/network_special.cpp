#include "sim/noc/network_steps.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

/// Messages that are not unicast: trees of copies, trees of sums, and chains.
namespace pimdse::sim::noc {

namespace {

constexpr std::uint64_t no_route = std::uint64_t{ports} << 32U;

}  // namespace

MessageId Network::broadcast(Tree tree, std::int32_t flits) {
    MessageId const id = new_message(Kind::broadcast, static_cast<std::int32_t>(trees_.size()), flits, tree.members());
    queue(tree.root(), id, flits, no_route);
    flits_alive_ += static_cast<std::int64_t>(flits) * (tree.members() - 1);
    trees_.push_back(std::move(tree));
    return id;
}

MessageId Network::reduction(Tree tree, std::int32_t flits) {
    MessageId const id = new_message(Kind::reduction, static_cast<std::int32_t>(trees_.size()), flits, 1);
    for (auto const& branch : tree.branches()) {
        if (branch.member) queue(branch.node, id, flits, no_route);
    }
    flits_alive_ -= static_cast<std::int64_t>(flits) * (tree.members() - 1);
    trees_.push_back(std::move(tree));
    return id;
}

MessageId Network::chain(std::vector<Node> path, std::int32_t flits, double service, std::int64_t hops_before) {
    expects(path.size() > 1, "a chain has a hop");
    expects(service >= timing_.traversal - 1, "the service of a hop covers the arrival of its last flit");
    for (std::size_t i = 1; i < path.size(); ++i)
        expects(mesh_.distance(path[i - 1], path[i]) == 1, "routers of a chain are neighbours");
    MessageId const id = new_message(Kind::chain, static_cast<std::int32_t>(chains_.size()), flits, 1);
    messages_[static_cast<std::size_t>(id)].injected = now_;
    flits_alive_ += flits;
    live_chains_.push_back(chains_.size());
    chains_.push_back({std::move(path), id, flits, service, hops_before, 0, 0, false, now_});
    return id;
}

bool Network::tree_can_move(std::size_t at, unsigned leader) const {
    auto const& now = routers_[at];
    std::size_t const input = at * ports + leader;
    Mask const room = lanes::filled(now.credits) | bit(Port::local);
    return (joined_[input] & ~lanes::filled(now.flits)) == 0 && (leaves_by_[input] & ~room) == 0;
}

bool Network::trees_can_move(std::size_t at) const {
    for (Mask left = routers_[at].leading; left != 0; left &= left - 1) {
        if (tree_can_move(at, static_cast<unsigned>(std::countr_zero(left)))) return true;
    }
    return false;
}

void Network::tell_late(Cycle when, std::size_t router, std::uint32_t news) {
    auto& heard = late_news_[slot(when) * nodes() + router];
    heard = static_cast<std::uint16_t>(heard | news);
    tell(when, router, 1U << late_at);
}

void Network::send_special(std::size_t at, unsigned out, Flit flit, std::int32_t delay) {
    if (out == local) {
        eject(at, flit);
        return;
    }
    if (delay == 0) {
        send(at, out, flit);
        return;
    }
    ++link_flits_[at * ports + out];
    put(at, out, flit);
    tell_late(now_ + delay, at + static_cast<std::size_t>(step_[out]), 1U << detail::other_end[out]);
}

void Network::move_trees(std::size_t at) {
    auto& router = routers_[at];
    for (Mask leaders = router.leading; leaders != 0; leaders &= leaders - 1) {
        auto const leader = static_cast<unsigned>(std::countr_zero(leaders));
        if (!tree_can_move(at, leader)) continue;
        std::size_t const input = at * ports + leader;
        Flit const flit = front(at, leader);
        Mask const outputs = leaves_by_[input];
        for (Mask left = outputs; left != 0; left &= left - 1) {
            send_special(at, static_cast<unsigned>(std::countr_zero(left)), flit, delay_[input]);
        }
        for (Mask left = joined_[input]; left != 0; left &= left - 1)
            take(at, static_cast<unsigned>(std::countr_zero(left)));
        if (!is_tail(flit)) continue;
        router.leading &= ~(1U << leader);
        router.engaged &= ~joined_[input];
        router.owned &= ~outputs;
        router.released |= outputs;
    }
}

void Network::grant_trees(std::size_t at) {
    Mask const waiting = routers_[at].asking_trees;
    for (Mask left = waiting; left != 0; left &= left - 1) {
        auto const port = static_cast<unsigned>(std::countr_zero(left));
        Flit const head = front(at, port);
        auto const& message = messages_[static_cast<std::size_t>(message_of(head))];
        auto const& tree = trees_[static_cast<std::size_t>(message.target)];
        auto const& router = routers_[at];
        Mask const taken = lanes::outputs_of(router.moving) | router.owned | router.released;
        if (message.kind == Kind::reduction) {
            grant_reduction(at, port, waiting, taken, head, tree);
        } else if (Mask const outputs = Tree::copies(tree.at(static_cast<Node>(at))); (outputs & taken) == 0) {
            own(at, port, 1U << port, outputs, 0);
        }
    }
}

void Network::own(std::size_t at, unsigned leader, Mask inputs, Mask outputs, std::int32_t delay) {
    auto& router = routers_[at];
    std::size_t const input = at * ports + leader;
    joined_[input] = inputs;
    leaves_by_[input] = outputs;
    delay_[input] = delay;
    router.owned |= outputs;
    router.asking_trees &= ~inputs;
    router.leading |= 1U << leader;
}

void Network::grant_reduction(std::size_t at, unsigned port, Mask waiting, Mask taken, Flit head, Tree const& tree) {
    auto const node = static_cast<Node>(at);
    auto const& branch = tree.at(node);
    Mask const operands = Tree::copies(branch);  // a sum comes in where a copy would go out
    if (static_cast<unsigned>(std::countr_zero(operands)) != port || (operands & ~waiting) != 0 ||
        (taken & bit(branch.parent)) != 0)
        return;
    for (Mask left = operands; left != 0; left &= left - 1) {
        if (front(at, static_cast<unsigned>(std::countr_zero(left))) != head) return;
    }
    bool const adds_next =
        node != tree.root() && std::popcount(Tree::copies(tree.at(mesh_.neighbour(node, branch.parent)))) > 1;
    own(at, port, operands, bit(branch.parent), adds_next ? timing_.traversal + timing_.adder : 0);
}

void Network::claim_chains() {
    for (auto const at : live_chains_) {
        auto& chain = chains_[at];
        if (chain.owns || chain.ready > now_ || chain.hop + 1 >= chain.path.size()) continue;
        Node const router = chain.path[chain.hop];
        Mask const out = bit(mesh_.towards(router, chain.path[chain.hop + 1]));
        auto& there = routers_[static_cast<std::size_t>(router)];
        if (((there.owned | lanes::outputs_of(there.moving)) & out) != 0) continue;
        there.owned |= out;
        chain.owns = moved_ = true;
    }
}

bool Network::chain_step(Chain& chain) {
    if (!chain.owns) {
        if (chain.hop + 1 < chain.path.size() || chain.ready > now_ + 1) return false;
        ejected_flits_ += chain.flits;
        flits_alive_ -= chain.flits;
        finish(chain.message, chain.ready);
        return true;
    }
    auto const router = static_cast<std::size_t>(chain.path[chain.hop]);
    auto const out = static_cast<unsigned>(index(mesh_.towards(chain.path[chain.hop], chain.path[chain.hop + 1])));
    auto& now = routers_[router];
    if (lanes::at(now.credits, out) == 0) return false;
    now.credits -= lanes::one(out);
    ++link_flits_[router * ports + out];
    moved_ = true;
    // The adder takes the flit out of the FIFO as it arrives; its credit takes the way back from there.
    tell_late(now_ + 2 * timing_.traversal, router, 1U << (credits_at + out));
    if (++chain.sent < chain.flits) return false;
    chain.sent = 0;
    chain.owns = false;
    now.owned &= ~(1U << out);
    wake(router);
    auto const hop = static_cast<double>(chain.hops_before) + static_cast<double>(chain.hop);
    chain.ready = now_ + 1 + whole_part(std::floor((hop + 1.0) * chain.service) - std::floor(hop * chain.service));
    ++chain.hop;
    return false;
}

void Network::move_chains() {
    std::erase_if(live_chains_, [this](std::size_t at) { return chain_step(chains_[at]); });
}

}  // namespace pimdse::sim::noc
