#include "sim/noc/tree_steps.hpp"

#include <bit>

namespace pimdse::sim::noc {
namespace {

bool tree_can_move(NetworkState const& n, std::size_t at, unsigned leader) {
    auto const& now = n.routers[at];
    std::size_t const input = at * ports + leader;
    Mask const room = lanes::filled(now.credits) | bit(Port::local);
    return (n.joined[input] & ~lanes::filled(now.flits)) == 0 && (n.leaves_by[input] & ~room) == 0;
}

void send_on(NetworkState& n, std::size_t at, unsigned out, Flit flit, std::int32_t delay) {
    if (out == local_out) {
        eject(n, at, flit);
        return;
    }
    if (delay == 0) {
        send(n, at, out, flit);
        return;
    }
    ++n.link_flits[at * ports + out];
    put(n, at, out, flit);
    post_late_news(n, n.now + delay, at + static_cast<std::size_t>(n.step[out]), 1U << other_end[out]);
}

/// The inputs move together from now on, the leader for all of them.
void lead(NetworkState& n, std::size_t at, unsigned leader, Mask inputs, Mask outputs, std::int32_t delay) {
    auto& router = n.routers[at];
    std::size_t const input = at * ports + leader;
    n.joined[input] = inputs;
    n.leaves_by[input] = outputs;
    n.delay[input] = delay;
    router.owned |= outputs;
    router.asking_trees &= ~inputs;
    router.leading |= 1U << leader;
}

void grant_reduction(NetworkState& n, std::size_t at, unsigned port, Mask waiting, Mask taken, Flit head,
                     Tree const& tree) {
    auto const node = static_cast<Node>(at);
    auto const& branch = tree.at(node);
    Mask const operands = Tree::copies(branch);  // a sum comes in where a copy would go out
    if (static_cast<unsigned>(std::countr_zero(operands)) != port || (operands & ~waiting) != 0 ||
        (taken & bit(branch.parent)) != 0)
        return;
    for (Mask left = operands; left != 0; left &= left - 1) {
        if (n.front(at, static_cast<unsigned>(std::countr_zero(left))) != head) return;
    }
    bool const adds_next =
        node != tree.root() && std::popcount(Tree::copies(tree.at(n.mesh.neighbour(node, branch.parent)))) > 1;
    lead(n, at, port, operands, bit(branch.parent), adds_next ? n.timing.traversal + n.timing.adder : 0);
}

}  // namespace

bool trees_can_move(NetworkState const& n, std::size_t at) {
    for (Mask left = n.routers[at].leading; left != 0; left &= left - 1) {
        if (tree_can_move(n, at, static_cast<unsigned>(std::countr_zero(left)))) return true;
    }
    return false;
}

void move_trees(NetworkState& n, std::size_t at) {
    auto& router = n.routers[at];
    for (Mask leaders = router.leading; leaders != 0; leaders &= leaders - 1) {
        auto const leader = static_cast<unsigned>(std::countr_zero(leaders));
        if (!tree_can_move(n, at, leader)) continue;
        std::size_t const input = at * ports + leader;
        Flit const flit = n.front(at, leader);
        Mask const outputs = n.leaves_by[input];
        for (Mask left = outputs; left != 0; left &= left - 1) {
            send_on(n, at, static_cast<unsigned>(std::countr_zero(left)), flit, n.delay[input]);
        }
        for (Mask left = n.joined[input]; left != 0; left &= left - 1)
            take(n, at, static_cast<unsigned>(std::countr_zero(left)));
        if (!is_tail(flit)) continue;
        router.leading &= ~(1U << leader);
        router.engaged &= ~n.joined[input];
        router.owned &= ~outputs;
        router.released |= outputs;
    }
}

void grant_trees(NetworkState& n, std::size_t at) {
    Mask const waiting = n.routers[at].asking_trees;
    for (Mask left = waiting; left != 0; left &= left - 1) {
        auto const port = static_cast<unsigned>(std::countr_zero(left));
        Flit const head = n.front(at, port);
        auto const& message = n.messages[static_cast<std::size_t>(message_of(head))];
        auto const& tree = n.trees[static_cast<std::size_t>(message.target)];
        auto const& router = n.routers[at];
        Mask const taken = lanes::outputs_of(router.moving) | router.owned | router.released;
        if (message.kind == NetworkState::Kind::reduction) {
            grant_reduction(n, at, port, waiting, taken, head, tree);
        } else if (Mask const outputs = Tree::copies(tree.at(static_cast<Node>(at))); (outputs & taken) == 0) {
            lead(n, at, port, 1U << port, outputs, 0);
        }
    }
}

}  // namespace pimdse::sim::noc
