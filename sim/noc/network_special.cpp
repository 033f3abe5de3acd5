#include "sim/noc/network_steps.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

/// Messages that are not unicast: trees of copies, trees of sums, and chains.
namespace pimdse::sim::noc {

MessageId Network::broadcast(Tree tree, std::int32_t flits) {
    MessageId const id = new_message(Kind::broadcast, static_cast<std::int32_t>(trees_.size()), flits, tree.members());
    queue(tree.root(), id);
    flits_alive_ += static_cast<std::int64_t>(flits) * (tree.members() - 1);
    trees_.push_back(std::move(tree));
    return id;
}

MessageId Network::reduction(Tree tree, std::int32_t flits) {
    MessageId const id = new_message(Kind::reduction, static_cast<std::int32_t>(trees_.size()), flits, 1);
    for (auto const& branch : tree.branches()) {
        if (branch.member) queue(branch.node, id);
    }
    flits_alive_ -= static_cast<std::int64_t>(flits) * (tree.members() - 1);
    trees_.push_back(std::move(tree));
    return id;
}

MessageId Network::chain(std::vector<Node> path, std::int32_t flits, double service, std::int64_t hops_before) {
    expects(path.size() > 1, "a chain has a hop");
    expects(service >= timing_.traversal - 1, "the service of a hop covers the arrival of its last flit");
    for (std::size_t i = 1; i < path.size(); ++i) expects(mesh_.distance(path[i - 1], path[i]) == 1, "routers of a chain are neighbours");
    MessageId const id = new_message(Kind::chain, static_cast<std::int32_t>(chains_.size()), flits, 1);
    messages_[static_cast<std::size_t>(id)].injected = now_;
    flits_alive_ += flits;
    live_chains_.push_back(chains_.size());
    chains_.push_back({std::move(path), id, flits, service, hops_before, 0, 0, false, now_});
    return id;
}

bool Network::tree_can_move(std::size_t first, std::size_t leader) const {
    for (unsigned left = joined_[leader]; left != 0; left &= left - 1) {
        if (count_[first + static_cast<std::size_t>(std::countr_zero(left))] == 0) return false;
    }
    for (unsigned left = leaves_by_[leader]; left != 0; left &= left - 1) {
        if (credits_[first + static_cast<std::size_t>(std::countr_zero(left))] == 0) return false;
    }
    return true;
}

void Network::move_special(Node router, int port, Mask& released, Mask& held) {
    auto const first = static_cast<std::size_t>(router * ports);
    auto const leader = first + static_cast<std::size_t>(port);
    auto& ready = ready_[static_cast<std::size_t>(router)];
    if (!tree_can_move(first, leader)) {
        ready &= static_cast<Mask>(~(1U << port));
        return;
    }
    ++moved_;
    Flit const flit = front(leader);
    auto const outputs = leaves_by_[leader], inputs = joined_[leader];
    // The first copy carries the leader's credit back; the others only flits.
    std::int32_t credit = upstream_[leader];
    for (unsigned left = outputs; left != 0; left &= left - 1) {
        int const out = std::countr_zero(left);
        send(router, out, flit, credit, delay_[leader] != 0 && out != index(Port::local) ? delay_[leader] : timing_.traversal);
        credit = none;
    }
    if (is_tail(flit)) {
        owned_[static_cast<std::size_t>(router)] &= static_cast<Mask>(~outputs);
        released |= outputs;
    }
    for (unsigned left = inputs; left != 0; left &= left - 1) {
        int const operand = std::countr_zero(left);
        auto const input = static_cast<std::int32_t>(first) + operand;
        if (operand != port) {
            due(now_ + timing_.traversal).push_back({0, none, upstream_[static_cast<std::size_t>(input)]});
            ++events_;
        }
        take(input, held);
    }
    if (is_tail(flit)) ready &= static_cast<Mask>(~(1U << port));
}

void Network::grant_trees(Node router, Mask waiting, Mask released) {
    auto const r = static_cast<std::size_t>(router);
    for (unsigned left = waiting; left != 0; left &= left - 1) {
        int const port = std::countr_zero(left);
        Flit const head = front(r * ports + static_cast<std::size_t>(port));
        auto const& message = messages_[static_cast<std::size_t>(message_of(head))];
        auto const& tree = trees_[static_cast<std::size_t>(message.target)];
        auto const taken = static_cast<Mask>(owned_[r] | released);
        if (message.kind == Kind::reduction) {
            grant_reduction(router, port, waiting, taken, head, tree);
        } else if ((Tree::copies(tree.at(router)) & taken) == 0) {
            grant_broadcast(router, port, tree);
        }
    }
}

void Network::own(std::size_t router, int port, Mask outputs) {
    owned_[router] |= outputs;
    ready_[router] |= static_cast<Mask>(1U << port);
    for (unsigned left = outputs; left != 0; left &= left - 1) {
        owner_[router * ports + static_cast<std::size_t>(std::countr_zero(left))] = static_cast<Mask>(port);
    }
}

void Network::grant_broadcast(Node router, int port, Tree const& tree) {
    auto const r = static_cast<std::size_t>(router);
    auto const input = r * ports + static_cast<std::size_t>(port);
    leaves_by_[input] = Tree::copies(tree.at(router));
    joined_[input] = static_cast<Mask>(1U << port);
    delay_[input] = 0;
    own(r, port, leaves_by_[input]);
    waiting_[r] &= static_cast<Mask>(~joined_[input]);
    moving_[r] |= joined_[input];
    ++moved_;
}

void Network::grant_reduction(Node router, int port, Mask waiting, Mask taken, Flit head, Tree const& tree) {
    auto const r = static_cast<std::size_t>(router);
    auto const& branch = tree.at(router);
    Mask const operands = Tree::copies(branch);  // a sum comes in where a copy would go out
    if (std::countr_zero(static_cast<unsigned>(operands)) != port || (operands & ~waiting) != 0 || (taken & bit(branch.parent)) != 0)
        return;
    for (unsigned left = operands; left != 0; left &= left - 1) {
        if (front(r * ports + static_cast<std::size_t>(std::countr_zero(left))) != head) return;
    }
    bool const adds_next = branch.node != tree.root() && std::popcount(Tree::copies(tree.at(mesh_.neighbour(router, branch.parent)))) > 1;
    for (unsigned left = operands; left != 0; left &= left - 1) {
        auto const input = r * ports + static_cast<std::size_t>(std::countr_zero(left));
        joined_[input] = std::countr_zero(left) == port ? operands : Mask{0};
        leaves_by_[input] = bit(branch.parent);
        delay_[input] = static_cast<Mask>(adds_next ? timing_.traversal + timing_.adder : 0);
    }
    own(r, port, bit(branch.parent));
    waiting_[r] &= static_cast<Mask>(~operands);
    moving_[r] |= operands;
    ++moved_;
}

void Network::claim_chains() {
    for (auto const at : live_chains_) {
        auto& chain = chains_[at];
        if (chain.owns || chain.ready > now_ || chain.hop + 1 >= chain.path.size()) continue;
        Node const router = chain.path[chain.hop];
        auto const out = bit(mesh_.towards(router, chain.path[chain.hop + 1]));
        if ((owned_[static_cast<std::size_t>(router)] & out) != 0) continue;
        owned_[static_cast<std::size_t>(router)] |= out;
        owner_[static_cast<std::size_t>(port_index(router, mesh_.towards(router, chain.path[chain.hop + 1])))] = special;
        chain.owns = true;
        ++moved_;
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
    Node const router = chain.path[chain.hop];
    Port const out = mesh_.towards(router, chain.path[chain.hop + 1]);
    auto const o = static_cast<std::size_t>(port_index(router, out));
    if (credits_[o] == 0) return false;
    --credits_[o];
    ++link_flits_[o];
    ++moved_;
    // The adder takes the flit out of the FIFO as it arrives; its credit takes the way back from there.
    due(now_ + 2 * timing_.traversal).push_back({0, none, static_cast<std::int32_t>(o)});
    ++events_;
    if (++chain.sent < chain.flits) return false;
    chain.sent = 0;
    chain.owns = false;
    owned_[static_cast<std::size_t>(router)] &= static_cast<Mask>(~bit(out));
    active_[static_cast<std::size_t>(router) / 64] |= std::uint64_t{1} << (static_cast<unsigned>(router) % 64);
    auto const hop = static_cast<double>(chain.hops_before) + static_cast<double>(chain.hop);
    chain.ready = now_ + 1 + static_cast<Cycle>(std::floor((hop + 1.0) * chain.service) - std::floor(hop * chain.service));
    ++chain.hop;
    return false;
}

void Network::move_chains() {
    std::erase_if(live_chains_, [this](std::size_t at) { return chain_step(chains_[at]); });
}

}  // namespace pimdse::sim::noc
