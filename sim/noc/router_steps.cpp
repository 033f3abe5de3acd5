#include "sim/noc/router_steps.hpp"

#include "sim/noc/tree_steps.hpp"

#include <algorithm>
#include <bit>

/// A cycle of the routers: flits and credits come; flits move, nodes inject; heads win outputs. What one router sends
/// another comes two cycles later or more, so the order of routers does not matter. Each step runs over a list of all
/// that takes part in it, made without branches: which router has how many flits to move is what a processor guesses
/// worst.
namespace pimdse::sim::noc {
namespace {

/// Unicasts that own an output, have a flit and room behind the output.
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
    n.below_deepest = lanes::all(static_cast<std::uint64_t>(std::max(0, lanes::most - 1 - n.deepest_fifo)));
}

/// Takes in a router's news and puts the router on the lists of what it has to do: most credits give it nothing.
inline void list_work(NetworkState& n, std::size_t at) {
    NetworkState::Router& router = n.routers[at];
    auto& told = n.news_now[at];
    std::uint32_t const news = told;
    told = 0;
    router.flits += lanes::ones[news & 31U];
    router.credits += lanes::ones[news >> credits_at & 31U];
    if ((news >> late_at & 1U) != 0) add_late_news(n, router, at);
    if (lanes::tops(router.flits + n.below_deepest) != 0) note_depth(n, router.flits);
    Mask const present = lanes::filled(router.flits), room = lanes::filled(router.credits) | bit(Port::local);
    auto const pairs = router.moving & lanes::with_inputs(present) & lanes::with_outputs[room];
    Mask const injects = router.queued & lanes::filled(router.credits) >> local_out;
    Mask const heads = present & ~(lanes::inputs_of(router.moving | router.asking) | router.engaged);
    n.going[n.goings] = {static_cast<std::uint32_t>(at), pairs};
    n.goings += pairs != 0 ? 1 : 0;
    n.heads[n.asks] = {static_cast<std::uint32_t>(at), heads};
    n.asks += heads != 0 ? 1 : 0;
    n.injecting[n.injections] = static_cast<std::uint32_t>(at);
    n.injections += injects;
    // The packet behind a tail that leaves in this cycle asks in the next: it is not among the heads yet.
    n.visited[n.visits] = static_cast<std::uint32_t>(at);
    n.visits += (pairs | heads | news >> late_at | router.leading | injects) != 0 ? 1 : 0;
}

void read_news(NetworkState& n) {
    n.visits = n.goings = n.asks = n.injections = 0;
    auto* const told = n.told.data() + n.slot(n.now) * n.blocks;
    for (std::size_t i = 0; i < n.blocks; ++i) {
        if (told[i] == 0) continue;
        told[i] = 0;
        std::size_t const end = std::min((i + 1) * news_block, n.nodes());
        std::array<std::uint32_t, news_block> heard;
        std::size_t hears = 0;
        for (std::size_t at = i * news_block; at < end; ++at) {
            heard[hears] = static_cast<std::uint32_t>(at);
            hears += n.news_now[at] != 0 ? 1 : 0;
        }
        for (std::size_t h = 0; h < hears; ++h) list_work(n, heard[h]);
    }
}

inline void inject(NetworkState& n, std::size_t at) {
    auto& source = n.sources[at];
    auto const& queued = source.messages[source.first];
    Flit flit = queued.flit;
    if (source.sent++ == 0) {
        flit |= head_bit;
        auto& injected = n.messages[static_cast<std::size_t>(queued.message)].injected;
        // A sum has many sources, the first of which counts.
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
    for (std::size_t i = 0; i < n.goings; ++i) {
        auto const [router, pairs] = n.going[i];
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
    for (std::size_t i = 0; i < n.goings; ++i) {
        auto const [router, pairs] = n.going[i];
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

/// Heads that came to the front of their FIFO ask for their outputs.
inline void request_outputs(NetworkState& n, std::size_t at, Mask heads) {
    NetworkState::Router& router = n.routers[at];
    for (; heads != 0; heads &= heads - 1) {
        auto const port = static_cast<unsigned>(std::countr_zero(heads));
        unsigned const out = out_of(n.front(at, port));
        if (out == special_out) {
            router.asking_trees |= 1U << port;
            router.engaged |= 1U << port;
        } else {
            router.asking |= lanes::pair(out, port);
        }
    }
}

/// Free outputs go to the next in turn of those that want them. One whose tail left in this cycle is not free yet.
inline lanes::Pairs match_outputs(NetworkState::Router& router) {
    Mask const taken = lanes::outputs_of(router.moving) | router.owned | router.released;
    auto wanted = router.asking & lanes::with_outputs[~taken & 31U];
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
    if (router.asking_trees != 0) grant_trees(n, at);
    auto const granted = match_outputs(router);
    auto const gone = router.tails;
    router.asking ^= granted;
    router.moving = (router.moving ^ gone) | granted;
    router.tails = 0;
    // A head that found its output taken asks again when one is released: nothing else can change the answer.
    Mask const injects = router.queued & lanes::filled(router.credits) >> local_out;
    bool again = (gone | movable(router) | router.released | injects) != 0;
    if (router.leading != 0) again = again || trees_can_move(n, at);
    router.released = 0;
    n.news_next[at] = static_cast<std::uint16_t>(n.news_next[at] | std::uint32_t{again} << wake_at);
    n.told_next[at / news_block] |= std::uint32_t{again};
    n.moved |= again;
}

}  // namespace

void step_routers(NetworkState& n) {
    read_news(n);
    move_flits(n);
    if (!n.trees.empty()) {
        for (std::size_t i = 0; i < n.visits; ++i) {
            if (n.routers[n.visited[i]].leading != 0) move_trees(n, n.visited[i]);
        }
    }
    for (std::size_t i = 0; i < n.injections; ++i) inject(n, n.injecting[i]);
    for (std::size_t i = 0; i < n.asks; ++i) request_outputs(n, n.heads[i].router, n.heads[i].inputs);
    for (std::size_t i = 0; i < n.visits; ++i) allocate_outputs(n, n.visited[i]);
}

}  // namespace pimdse::sim::noc
