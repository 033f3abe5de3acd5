#include "sim/noc/network_steps.hpp"

#include <algorithm>
#include <bit>

/// A cycle of the routers: flits and credits come; flits move, nodes inject; heads win outputs. What one router sends
/// another comes two cycles later or more, so the order of routers does not matter. Each step runs over a list of all
/// that takes part in it, made without branches: which router has how many flits to move is what a processor guesses
/// worst.
namespace pimdse::sim::noc {

/// Unicasts that own an output, have a flit and room behind the output.
inline lanes::Pairs Network::can_go(Router const& router) {
    Mask const room = lanes::filled(router.credits) | bit(Port::local);
    return router.moving & lanes::with_inputs(lanes::filled(router.flits)) & lanes::with_outputs[room];
}

void Network::come_late(Router& router, std::size_t at) {
    auto& late = late_news_[slot(now_) * nodes() + at];
    router.flits += lanes::ones[late & 31U];
    router.credits += lanes::ones[late >> credits_at & 31U];
    late = 0;
}

void Network::note_depth(std::uint64_t flits) {
    for (unsigned port = 0; port < ports; ++port) deepest_fifo_ = std::max(deepest_fifo_, lanes::at(flits, port));
    below_deepest_ = lanes::all(static_cast<std::uint64_t>(std::max(0, lanes::most - 1 - deepest_fifo_)));
}

/// Takes in a router's news and puts the router on the lists of what it has to do: most credits give it nothing.
inline void Network::come(std::size_t at) {
    Router& router = routers_[at];
    auto& told = news_now_[at];
    std::uint32_t const news = told;
    told = 0;
    router.flits += lanes::ones[news & 31U];
    router.credits += lanes::ones[news >> credits_at & 31U];
    if ((news >> late_at & 1U) != 0) come_late(router, at);
    if (lanes::tops(router.flits + below_deepest_) != 0) note_depth(router.flits);
    Mask const present = lanes::filled(router.flits), room = lanes::filled(router.credits) | bit(Port::local);
    auto const pairs = router.moving & lanes::with_inputs(present) & lanes::with_outputs[room];
    Mask const injects = router.queued & lanes::filled(router.credits) >> local;
    Mask const heads = present & ~(lanes::inputs_of(router.moving | router.asking) | router.engaged);
    going_[goings_] = {static_cast<std::uint32_t>(at), pairs};
    goings_ += pairs != 0 ? 1 : 0;
    heads_[asks_] = {static_cast<std::uint32_t>(at), heads};
    asks_ += heads != 0 ? 1 : 0;
    injecting_[injections_] = static_cast<std::uint32_t>(at);
    injections_ += injects;
    // The packet behind a tail that leaves in this cycle asks in the next: it is not among the heads yet.
    visited_[visits_] = static_cast<std::uint32_t>(at);
    visits_ += (pairs | heads | news >> late_at | router.leading | injects) != 0 ? 1 : 0;
}

void Network::hear() {
    visits_ = goings_ = asks_ = injections_ = 0;
    auto* const told = told_.data() + slot(now_) * blocks_;
    for (std::size_t i = 0; i < blocks_; ++i) {
        if (told[i] == 0) continue;
        told[i] = 0;
        std::size_t const end = std::min((i + 1) * block, nodes());
        std::array<std::uint32_t, block> heard;
        std::size_t hears = 0;
        for (std::size_t at = i * block; at < end; ++at) {
            heard[hears] = static_cast<std::uint32_t>(at);
            hears += news_now_[at] != 0 ? 1 : 0;
        }
        for (std::size_t h = 0; h < hears; ++h) come(heard[h]);
    }
}

inline void Network::inject(std::size_t at) {
    auto& source = sources_[at];
    auto const& queued = source.messages[source.first];
    Flit flit = queued.flit;
    if (source.sent++ == 0) {
        flit |= 1U;
        auto& injected = messages_[static_cast<std::size_t>(queued.message)].injected;
        // A sum has many sources, the first of which counts.
        if (out_of(flit) != special || injected < 0) injected = now_;
    }
    if (source.sent == queued.flits) {
        flit |= 2U;
        source.sent = 0;
        if (++source.first == source.messages.size()) {
            source.messages.clear();
            source.first = 0;
            routers_[at].queued = 0;
        }
    }
    put(at, local, flit);
    tell(now_ + timing_.injection, at, bit(Port::local));
}

void Network::move_flits() {
    std::size_t moves = 0;
    for (std::size_t i = 0; i < goings_; ++i) {
        auto const [router, pairs] = going_[i];
        for (unsigned out = 0; out < local; ++out) {
            auto const input = static_cast<std::size_t>(pairs >> (8 * out) & 31U);
            moves_[moves] = {router, lanes::pair_index(out, lanes::lowest[input])};
            moves += input != 0 ? 1 : 0;
        }
    }
    for (std::size_t i = 0; i < moves; ++i) {
        auto const [at, pair] = moves_[i];
        Flit const flit = take(at, pair % 8);
        send(at, pair / 8, one_hop_on(flit));
        routers_[at].tails |= (flit >> 1U & 1U) << pair;
    }
    moves = 0;
    for (std::size_t i = 0; i < goings_; ++i) {
        auto const [router, pairs] = going_[i];
        auto const input = static_cast<std::size_t>(pairs >> (8 * local) & 31U);
        moves_[moves] = {router, lanes::pair_index(local, lanes::lowest[input])};
        moves += input != 0 ? 1 : 0;
    }
    for (std::size_t i = 0; i < moves; ++i) {
        auto const [at, pair] = moves_[i];
        Flit const flit = take(at, pair % 8);
        eject(at, flit);
        routers_[at].tails |= (flit >> 1U & 1U) << pair;
    }
}

/// Heads that came to the front of their FIFO ask for their outputs.
inline void Network::ask(std::size_t at, Mask heads) {
    Router& router = routers_[at];
    for (; heads != 0; heads &= heads - 1) {
        auto const port = static_cast<unsigned>(std::countr_zero(heads));
        unsigned const out = out_of(front(at, port));
        if (out == special) {
            router.asking_trees |= 1U << port;
            router.engaged |= 1U << port;
        } else {
            router.asking |= lanes::pair(out, port);
        }
    }
}

/// Free outputs go to the next in turn of those that want them. One whose tail left in this cycle is not free yet.
inline lanes::Pairs Network::grant(Router& router) {
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

inline void Network::allocate(std::size_t at) {
    Router& router = routers_[at];
    if (router.asking_trees != 0) grant_trees(at);
    auto const granted = grant(router);
    auto const gone = router.tails;
    router.asking ^= granted;
    router.moving = (router.moving ^ gone) | granted;
    router.tails = 0;
    // A head that found its output taken asks again when one is released: nothing else can change the answer.
    Mask const injects = router.queued & lanes::filled(router.credits) >> local;
    bool again = (gone | can_go(router) | router.released | injects) != 0;
    if (router.leading != 0) again = again || trees_can_move(at);
    router.released = 0;
    news_next_[at] = static_cast<std::uint16_t>(news_next_[at] | std::uint32_t{again} << wake_at);
    told_next_[at / block] |= std::uint32_t{again};
    moved_ |= again;
}

void Network::visit_due() {
    hear();
    move_flits();
    if (!trees_.empty()) {
        for (std::size_t i = 0; i < visits_; ++i) {
            if (routers_[visited_[i]].leading != 0) move_trees(visited_[i]);
        }
    }
    for (std::size_t i = 0; i < injections_; ++i) inject(injecting_[i]);
    for (std::size_t i = 0; i < asks_; ++i) ask(heads_[i].router, heads_[i].inputs);
    for (std::size_t i = 0; i < visits_; ++i) allocate(visited_[i]);
}

}  // namespace pimdse::sim::noc
