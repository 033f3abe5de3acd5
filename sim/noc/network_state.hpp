#pragma once

#include "sim/noc/lanes.hpp"
#include "sim/noc/network_words.hpp"
#include "sim/noc/tree.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace pimdse::sim::noc {

/// Delays of the router in cycles; the defaults are those of the reference rows (routers without speculation, one
/// virtual channel).
struct RouterTiming {
    std::int32_t fifo_flits = 16;
    std::int32_t traversal =
        3;  ///< from winning the switch to arriving in the next FIFO; credits take the same way back
    std::int32_t injection = 2;  ///< link from a node into its local FIFO
    std::int32_t adder = 2;      ///< a reduction adds arriving flits to what is there
};

/// A message that arrived: the cycle in which its last flit reached its (last) destination.
struct Arrival {
    MessageId message = 0;
    Cycle injected = 0;  ///< its head entered the injection link
    Cycle arrived = 0;
};

/// All that a network is at the start of a cycle. The steps of a cycle are functions of it: router_steps.hpp,
/// tree_steps.hpp, chain_steps.hpp.
struct NetworkState {
    NetworkState(Mesh on, RouterTiming with);

    enum class Kind : std::uint8_t { unicast, broadcast, reduction, chain };

    struct Message {
        Cycle injected = -1;
        std::int32_t target = 0;     // trees: index in trees; chains: index in chains
        std::int32_t to_arrive = 1;  // tails still to be ejected
        Kind kind = Kind::unicast;
    };
    struct Queued {
        Flit flit;  // without head and tail
        MessageId message;
        std::int32_t flits;
    };
    struct Source {
        std::vector<Queued> messages;
        std::size_t first = 0;
        std::int32_t sent = 0;
    };
    struct Chain {
        std::vector<Node> path;
        MessageId message = 0;
        std::int32_t flits = 0;
        double service = 0.0;
        std::int64_t hops_before = 0;
        std::size_t hop = 0;    // hops done
        std::int32_t sent = 0;  // flits of the current hop
        bool owns = false;
        Cycle ready = 0;
    };
    /// A router but for its FIFOs. What happens to it is spread over the steps of a cycle, see router_steps.cpp.
    struct Router {
        std::uint64_t flits = 0;    // lanes: flits in the FIFOs
        std::uint64_t credits = 0;  // lanes: places free behind outputs north to west; behind them in the local FIFO
        lanes::Pairs moving = 0;    // unicasts that own an output
        lanes::Pairs asking = 0;    // and those that want one
        lanes::Pairs tails = 0;     // of those moving: their last flit left in this cycle
        Mask queued = 0;            // 1: its node has something to inject
        Mask leading = 0;           // inputs that lead a moving tree
        Mask asking_trees = 0;      // inputs that hold a tree's head
        Mask engaged = 0;           // inputs of trees, moving or asking
        Mask owned = 0;             // outputs taken by trees and chains
        Mask released = 0;          // outputs that a tree's tail left in this cycle: free in the next
        std::array<std::uint16_t, ports> read{};   // places in its FIFOs
        std::array<std::uint16_t, ports> write{};  // and in those behind its outputs; the last: in the local FIFO
        std::array<std::uint16_t, ports> last{ports - 1, ports - 1, ports - 1, ports - 1,
                                              ports - 1};  // last grant of an output
    };
    struct Going {
        std::uint32_t router;
        lanes::Pairs pairs;
    };
    struct Heads {
        std::uint32_t router;
        Mask inputs;
    };
    struct Move {
        std::uint32_t router;
        std::uint32_t pair;
    };
    [[nodiscard]] std::size_t slot(Cycle when) const { return static_cast<std::size_t>(when) & slot_mask; }
    [[nodiscard]] std::size_t nodes() const { return routers.size(); }
    [[nodiscard]] Flit front(std::size_t at, unsigned port) const {
        return fifo[((at * ports + port) << fifo_shift) + routers[at].read[port]];
    }

    Mesh mesh;
    RouterTiming timing;
    Cycle now = 0;
    std::int64_t ejected_flits = 0, flits_alive = 0;
    std::int32_t deepest_fifo = 0;
    std::uint64_t below_deepest;  // added to a word of flits, shows lanes above deepest_fifo at their tops
    bool moved = false, stuck = false;

    std::vector<Router> routers;
    std::vector<std::uint32_t> visited,
        injecting;  // routers of this cycle: with news or something to do; that inject
    std::vector<Going> going;
    std::vector<Heads> heads;
    std::vector<Move> moves;
    std::size_t visits = 0, injections = 0, goings = 0, asks = 0;
    std::vector<Source> sources;
    // Per input port, by port_index.
    // Not cleared: of a deep FIFO only the places that flits come to cost memory.
    std::unique_ptr<Flit[]> fifo;
    std::uint32_t fifo_shift = 0, fifo_mask = 0;
    std::vector<Mask> leaves_by;           // of a leader of a tree: outputs granted
    std::vector<Mask> joined;              // of a leader: inputs that move together
    std::vector<std::int32_t> delay;       // of a leader: traversal and, before an adder, its time
    std::vector<std::int64_t> link_flits;  // per output port
    // By port, the same in every router: from it to the one behind the port, and from the first place of its FIFOs to
    // the first place of the FIFO behind the output.
    std::array<std::ptrdiff_t, ports> step{}, fifo_step{};

    // What is under way, by the cycle in which it comes.
    std::size_t slot_mask = 0, blocks = 0, soon = 0;
    std::vector<std::uint16_t> news, late_news;  // by slot and router
    std::vector<std::uint32_t> told;             // by slot and block of routers: 1 if there is news
    std::uint16_t* news_soon = nullptr;          // of the slot `traversal` ahead
    std::uint32_t* told_soon = nullptr;
    std::uint16_t *news_now = nullptr, *news_next = nullptr;  // of this and the next cycle
    std::uint32_t* told_next = nullptr;
    std::vector<std::int64_t> ejecting;         // flits, by slot
    std::vector<std::vector<MessageId>> tails;  // the last flits among them, by slot

    std::vector<Message> messages;
    std::vector<MessageId> free_messages;
    std::vector<Tree> trees;
    std::vector<Chain> chains;
    std::vector<std::size_t> live_chains;
    std::vector<Arrival> arrivals;
};

/// A message under way, with so many flits and tails to be ejected.
[[nodiscard]] MessageId new_message(NetworkState& n, NetworkState::Kind kind, std::int32_t target, std::int32_t flits,
                                    std::int32_t tails);
/// Appends to what a node has to inject.
void queue_message(NetworkState& n, Node node, MessageId message, std::int32_t flits, Flit flit);
/// A tail of it arrived.
void finish_message(NetworkState& n, MessageId message, Cycle when);

/// Adds to what a router hears after the traversal of a switch and a link.
inline void post_news(NetworkState& n, std::size_t router, std::uint32_t news) {
    n.news_soon[router] = static_cast<std::uint16_t>(n.news_soon[router] | news);
    n.told_soon[router / news_block] = 1;
}

inline void post_news(NetworkState& n, Cycle when, std::size_t router, std::uint32_t news) {
    auto& heard = n.news[n.slot(when) * n.nodes() + router];
    heard = static_cast<std::uint16_t>(heard | news);
    n.told[n.slot(when) * n.blocks + router / news_block] = 1;
}

/// What comes by the longer ways counts when the router reads it, beside the rest of the slot.
inline void post_late_news(NetworkState& n, Cycle when, std::size_t router, std::uint32_t news) {
    auto& heard = n.late_news[n.slot(when) * n.nodes() + router];
    heard = static_cast<std::uint16_t>(heard | news);
    post_news(n, when, router, 1U << late_at);
}

inline void wake_next(NetworkState& n, std::size_t router) { post_news(n, n.now + 1, router, 1U << wake_at); }

/// Takes the first flit out of a FIFO and sends its credit back.
inline Flit take(NetworkState& n, std::size_t at, unsigned port) {
    NetworkState::Router& router = n.routers[at];
    std::uint32_t const read = router.read[port];
    Flit const flit = n.fifo[((at * ports + port) << n.fifo_shift) + read];
    router.read[port] = static_cast<std::uint16_t>((read + 1U) & n.fifo_mask);
    router.flits -= lanes::one(port);
    post_news(n, at + static_cast<std::size_t>(n.step[port]), (1U << credits_at) << other_end[port]);
    return flit;
}

/// Writes a flit behind the others of the FIFO behind an output, where its credit kept a place; it counts when the
/// router is told. The local output stands for the injection link.
inline void put(NetworkState& n, std::size_t at, unsigned out, Flit flit) {
    NetworkState::Router& router = n.routers[at];
    std::uint32_t const write = router.write[out];
    auto const first = static_cast<std::ptrdiff_t>((at * ports) << n.fifo_shift) + n.fifo_step[out];
    n.fifo[static_cast<std::size_t>(first) + write] = flit;
    router.write[out] = static_cast<std::uint16_t>((write + 1U) & n.fifo_mask);
    router.credits -= lanes::one(out);
}

inline void eject(NetworkState& n, std::size_t at, Flit flit) {
    ++n.link_flits[at * ports + local_out];
    ++n.ejecting[n.soon];
    if (is_tail(flit)) n.tails[n.soon].push_back(message_of(flit));
}

inline void send(NetworkState& n, std::size_t at, unsigned out, Flit flit) {
    ++n.link_flits[at * ports + out];
    put(n, at, out, flit);
    post_news(n, at + static_cast<std::size_t>(n.step[out]), 1U << other_end[out]);
}

}  // namespace pimdse::sim::noc
