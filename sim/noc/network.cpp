#include "sim/noc/network.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace pimdse::sim::noc {

/// Before the routers step, chains that are ready take their output. After the routers, each chain moves a flit or
/// arrives.
void claim_chains(NetworkState& n);
void move_chains(NetworkState& n);

/// One cycle of all routers: flits and credits arrive; flits move and nodes inject; heads win outputs.
void step_routers(NetworkState& n);

/// Broadcast and reduction trees at one router: those that own their outputs move a flit; those that request outputs
/// may win them.
void move_trees(NetworkState& n, std::size_t at);
void grant_trees(NetworkState& n, std::size_t at);
[[nodiscard]] bool trees_can_move(NetworkState const& n, std::size_t at);

namespace {

/// Moves a chain by one flit. True if it has arrived.
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
    // The adder takes the flit out of the FIFO as it arrives; the credit returns from there.
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

/// Pairs of unicasts that own an output, with a flit at the input and room behind the output.
inline lanes::Pairs movable(NetworkState::Router const& router) {
    Mask const room = lanes::filled(router.credits) | bit(Port::local);
    return router.moving & lanes::with_inputs(lanes::filled(router.flits)) & lanes::with_outputs[room];
}

void add_late_news(NetworkState& n, NetworkState::Router& router, std::size_t at) {
    auto& late = n.late_news[n.slot(n.now) * n.nodes() + at];
    router.flits += lanes::ones[late & 31U];
    router.credits += lanes::ones[late >> credits_at & 31U];
    late = 0;
}

void note_depth(NetworkState& n, std::uint64_t flits) {
    for (unsigned port = 0; port < ports; ++port) n.deepest_fifo = std::max(n.deepest_fifo, lanes::at(flits, port));
    n.below_deepest = lanes::all(static_cast<std::uint64_t>(std::max(0, lanes::max - 1 - n.deepest_fifo)));
}

/// Applies the news of a router and adds the router to the lists of the work that it has: most credits cause none.
inline void list_work(NetworkState& n, std::size_t at) {
    NetworkState::Router& router = n.routers[at];
    auto& stored = n.news_now[at];
    std::uint32_t const news = stored;
    stored = 0;
    router.flits += lanes::ones[news & 31U];
    router.credits += lanes::ones[news >> credits_at & 31U];
    if ((news >> late_at & 1U) != 0) add_late_news(n, router, at);
    if (lanes::tops(router.flits + n.below_deepest) != 0) note_depth(n, router.flits);
    Mask const present = lanes::filled(router.flits), room = lanes::filled(router.credits) | bit(Port::local);
    auto const pairs = router.moving & lanes::with_inputs(present) & lanes::with_outputs[room];
    Mask const injects = router.queued & lanes::filled(router.credits) >> local_out;
    Mask const heads = present & ~(lanes::inputs_of(router.moving | router.requesting) | router.engaged);
    n.movable_pairs[n.movable_count] = {static_cast<std::uint32_t>(at), pairs};
    n.movable_count += pairs != 0 ? 1 : 0;
    n.heads[n.head_count] = {static_cast<std::uint32_t>(at), heads};
    n.head_count += heads != 0 ? 1 : 0;
    n.injecting[n.injections] = static_cast<std::uint32_t>(at);
    n.injections += injects;
    // A packet behind a tail that leaves in this cycle is not among the heads yet: it requests its output in the next
    // cycle.
    n.visited[n.visits] = static_cast<std::uint32_t>(at);
    n.visits += (pairs | heads | news >> late_at | router.leading | injects) != 0 ? 1 : 0;
}

void read_news(NetworkState& n) {
    n.visits = n.movable_count = n.head_count = n.injections = 0;
    auto* const has_news = n.has_news.data() + n.slot(n.now) * n.blocks;
    for (std::size_t i = 0; i < n.blocks; ++i) {
        if (has_news[i] == 0) continue;
        has_news[i] = 0;
        std::size_t const end = std::min((i + 1) * news_block, n.nodes());
        std::array<std::uint32_t, news_block> receivers;
        std::size_t count = 0;
        for (std::size_t at = i * news_block; at < end; ++at) {
            receivers[count] = static_cast<std::uint32_t>(at);
            count += n.news_now[at] != 0 ? 1 : 0;
        }
        for (std::size_t r = 0; r < count; ++r) list_work(n, receivers[r]);
    }
}

inline void inject(NetworkState& n, std::size_t at) {
    auto& source = n.sources[at];
    auto const& queued = source.messages[source.first];
    Flit flit = queued.flit;
    if (source.sent++ == 0) {
        flit |= head_bit;
        auto& injected = n.messages[static_cast<std::size_t>(queued.message)].injected;
        // A reduction has many sources; the first injection counts.
        if (out_of(flit) != special_out || injected < 0) injected = n.now;
    }
    if (source.sent == queued.flits) {
        flit |= tail_bit;
        source.sent = 0;
        if (++source.first == source.messages.size()) {
            source.messages.clear();
            source.first = 0;
            n.routers[at].queued = 0;
        }
    }
    put(n, at, local_out, flit);
    post_news(n, n.now + n.timing.injection, at, bit(Port::local));
}

void move_flits(NetworkState& n) {
    std::size_t moves = 0;
    for (std::size_t i = 0; i < n.movable_count; ++i) {
        auto const [router, pairs] = n.movable_pairs[i];
        for (unsigned out = 0; out < local_out; ++out) {
            auto const input = static_cast<std::size_t>(pairs >> (8 * out) & 31U);
            n.moves[moves] = {router, lanes::pair_index(out, lanes::lowest[input])};
            moves += input != 0 ? 1 : 0;
        }
    }
    for (std::size_t i = 0; i < moves; ++i) {
        auto const [at, pair] = n.moves[i];
        Flit const flit = take(n, at, pair % 8);
        send(n, at, pair / 8, one_hop_on(flit));
        n.routers[at].tails |= (flit >> 1U & 1U) << pair;
    }
    moves = 0;
    for (std::size_t i = 0; i < n.movable_count; ++i) {
        auto const [router, pairs] = n.movable_pairs[i];
        auto const input = static_cast<std::size_t>(pairs >> (8 * local_out) & 31U);
        n.moves[moves] = {router, lanes::pair_index(local_out, lanes::lowest[input])};
        moves += input != 0 ? 1 : 0;
    }
    for (std::size_t i = 0; i < moves; ++i) {
        auto const [at, pair] = n.moves[i];
        Flit const flit = take(n, at, pair % 8);
        eject(n, at, flit);
        n.routers[at].tails |= (flit >> 1U & 1U) << pair;
    }
}

/// Heads at the front of their FIFO request their outputs.
inline void request_outputs(NetworkState& n, std::size_t at, Mask heads) {
    NetworkState::Router& router = n.routers[at];
    for (; heads != 0; heads &= heads - 1) {
        auto const port = static_cast<unsigned>(std::countr_zero(heads));
        unsigned const out = out_of(n.front(at, port));
        if (out == special_out) {
            router.requesting_trees |= 1U << port;
            router.engaged |= 1U << port;
        } else {
            router.requesting |= lanes::pair(out, port);
        }
    }
}

/// Grants each free output to the next input in turn among those that request it. An output whose tail left in this
/// cycle is not free yet.
inline lanes::Pairs match_outputs(NetworkState::Router& router) {
    Mask const taken = lanes::outputs_of(router.moving) | router.owned | router.released;
    auto wanted = router.requesting & lanes::with_outputs[~taken & 31U];
    lanes::Pairs granted = 0;
    while (wanted != 0) {
        unsigned const out = static_cast<unsigned>(std::countr_zero(wanted)) / 8;
        auto const inputs = static_cast<std::size_t>(wanted >> (8 * out) & 31U);
        unsigned const winner = lanes::next_in_turn[router.last[out]][inputs];
        router.last[out] = static_cast<std::uint16_t>(winner);
        granted |= lanes::pair(out, winner);
        wanted &= ~(lanes::Pairs{31} << (8 * out));
    }
    return granted;
}

inline void allocate_outputs(NetworkState& n, std::size_t at) {
    NetworkState::Router& router = n.routers[at];
    if (router.requesting_trees != 0) grant_trees(n, at);
    auto const granted = match_outputs(router);
    auto const gone = router.tails;
    router.requesting ^= granted;
    router.moving = (router.moving ^ gone) | granted;
    router.tails = 0;
    // A head whose output is taken tries again when an output is released: nothing else can change the outcome.
    Mask const injects = router.queued & lanes::filled(router.credits) >> local_out;
    bool again = (gone | movable(router) | router.released | injects) != 0;
    if (router.leading != 0) again = again || trees_can_move(n, at);
    router.released = 0;
    n.news_next[at] = static_cast<std::uint16_t>(n.news_next[at] | std::uint32_t{again} << wake_at);
    n.has_news_next[at / news_block] |= std::uint32_t{again};
    n.moved |= again;
}

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

/// From now on the inputs move together; the leader acts for all of them.
void lead(NetworkState& n, std::size_t at, unsigned leader, Mask inputs, Mask outputs, std::int32_t delay) {
    auto& router = n.routers[at];
    std::size_t const input = at * ports + leader;
    n.joined[input] = inputs;
    n.leaves_by[input] = outputs;
    n.delay[input] = delay;
    router.owned |= outputs;
    router.requesting_trees &= ~inputs;
    router.leading |= 1U << leader;
}

void grant_reduction(NetworkState& n, std::size_t at, unsigned port, Mask waiting, Mask taken, Flit head,
                     Tree const& tree) {
    auto const node = static_cast<Node>(at);
    auto const& branch = tree.at(node);
    Mask const operands = Tree::copies(branch);  // operands come in where copies would go out
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

constexpr Flit no_route = Flit{special_out} << 32U;

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
        auto const* const has_news = n.has_news.data() + at * n.blocks;
        if (n.ejecting[at] == 0 &&
            std::all_of(has_news, has_news + n.blocks, [](std::uint32_t any) { return any == 0; }))
            continue;
        soonest = std::min(soonest, n.now + static_cast<Cycle>(ahead));
        break;
    }
    // A chain that was ready before and did not move waits for an output or a credit, which is news.
    for (auto const chain : n.live_chains) {
        if (n.chains[chain].ready >= n.now) soonest = std::min(soonest, n.chains[chain].ready);
    }
    return soonest;
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

// One cycle of the routers: flits and credits arrive; flits move and nodes inject; heads win outputs. Everything that
// one router sends to another arrives at least two cycles later, so the order of the routers does not matter. Each step
// runs over a list of its participants that was written without branches, because the number of flits that a router
// moves is very hard to predict for a processor.

void step_routers(NetworkState& n) {
    read_news(n);
    move_flits(n);
    if (!n.trees.empty()) {
        for (std::size_t i = 0; i < n.visits; ++i) {
            if (n.routers[n.visited[i]].leading != 0) move_trees(n, n.visited[i]);
        }
    }
    for (std::size_t i = 0; i < n.injections; ++i) inject(n, n.injecting[i]);
    for (std::size_t i = 0; i < n.head_count; ++i) request_outputs(n, n.heads[i].router, n.heads[i].inputs);
    for (std::size_t i = 0; i < n.visits; ++i) allocate_outputs(n, n.visited[i]);
}

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
    Mask const waiting = n.routers[at].requesting_trees;
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

Network::Network(Mesh mesh, RouterTiming timing) : state_(mesh, timing) {}

MessageId Network::unicast(Node source, Node destination, std::int32_t flits) {
    auto& n = state_;
    MessageId const id = new_message(n, NetworkState::Kind::unicast, 0, flits, 1);
    queue_message(n, source, id, flits, route_of(n.mesh, source, destination));
    return id;
}

MessageId Network::broadcast(Tree tree, std::int32_t flits) {
    auto& n = state_;
    MessageId const id =
        new_message(n, NetworkState::Kind::broadcast, static_cast<std::int32_t>(n.trees.size()), flits, tree.members());
    queue_message(n, tree.root(), id, flits, no_route);
    n.flits_alive += static_cast<std::int64_t>(flits) * (tree.members() - 1);
    n.trees.push_back(std::move(tree));
    return id;
}

MessageId Network::reduction(Tree tree, std::int32_t flits) {
    auto& n = state_;
    MessageId const id =
        new_message(n, NetworkState::Kind::reduction, static_cast<std::int32_t>(n.trees.size()), flits, 1);
    for (auto const& branch : tree.branches()) {
        if (branch.member) queue_message(n, branch.node, id, flits, no_route);
    }
    n.flits_alive -= static_cast<std::int64_t>(flits) * (tree.members() - 1);
    n.trees.push_back(std::move(tree));
    return id;
}

MessageId Network::chain(std::vector<Node> path, std::int32_t flits, double service, std::int64_t hops_before) {
    auto& n = state_;
    expects(path.size() > 1, "a chain has at least one hop");
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
    n.has_news_soon = n.has_news.data() + n.soon * n.blocks;
    n.news_now = n.news.data() + n.slot(n.now) * n.nodes();
    n.news_next = n.news.data() + n.slot(n.now + 1) * n.nodes();
    n.has_news_next = n.has_news.data() + n.slot(n.now + 1) * n.blocks;
    eject_due(n);
    if (!n.live_chains.empty()) claim_chains(n);
    step_routers(n);
    if (!n.live_chains.empty()) move_chains(n);
    ++n.now;
    if (n.moved) return;
    // No router has work, and none will before something arrives, so the cycles until then are equal and can be
    // skipped.
    constexpr Cycle never = std::numeric_limits<Cycle>::max();
    Cycle const next = next_event(n, never);
    n.stuck = next == never && n.flits_alive > 0;
    n.now = std::max(n.now, std::min(next, std::max(at_most, n.now)));
}

}  // namespace pimdse::sim::noc
