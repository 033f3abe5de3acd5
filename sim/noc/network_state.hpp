#pragma once

#include "sim/noc/mesh.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// Packed small numbers in one word, so that the five ports of a router are counted, tested and matched at once.
namespace pimdse::sim::noc::lanes {

/// A lane per port, 12 bits wide.
inline constexpr unsigned width = 12;
/// The largest number that a lane may hold.
inline constexpr std::int32_t max = 1 << (width - 1);

/// One in the lane of `port`.
[[nodiscard]] constexpr std::uint64_t one(unsigned port) { return std::uint64_t{1} << (width * port); }

/// `value` in every lane.
[[nodiscard]] constexpr std::uint64_t all(std::uint64_t value) {
    return (one(0) | one(1) | one(2) | one(3) | one(4)) * value;
}

[[nodiscard]] constexpr std::int32_t at(std::uint64_t word, unsigned port) {
    return static_cast<std::int32_t>(word >> (width * port) & ((1U << width) - 1));
}

/// One in the lane of every port of a mask.
inline constexpr auto ones = [] {
    std::array<std::uint64_t, 32> table{};
    for (unsigned mask = 0; mask < 32; ++mask) {
        for (unsigned port = 0; port < ports; ++port) table[mask] |= (mask >> port & 1U) != 0 ? one(port) : 0;
    }
    return table;
}();

/// The top bit of every lane, gathered into a mask of ports: the multiplication moves each bit to its place without a
/// carry.
[[nodiscard]] constexpr std::uint32_t tops(std::uint64_t word) {
    constexpr std::uint64_t gather = std::uint64_t{1} | std::uint64_t{1} << 11U | std::uint64_t{1} << 22U |
                                     std::uint64_t{1} << 33U | std::uint64_t{1} << 44U;
    return static_cast<std::uint32_t>((word >> (width - 1) & all(1)) * gather >> 44U & 31U);
}

/// Ports whose lane is not zero.
[[nodiscard]] constexpr std::uint32_t filled(std::uint64_t word) { return tops(word + all(max - 1)); }

/// Set of pairs of an output and an input: one byte per output with one bit per input.
using Pairs = std::uint64_t;

[[nodiscard]] constexpr unsigned pair_index(unsigned output, unsigned input) { return output * 8 + input; }
[[nodiscard]] constexpr Pairs pair(unsigned output, unsigned input) { return Pairs{1} << pair_index(output, input); }
/// All pairs with these inputs.
[[nodiscard]] constexpr Pairs with_inputs(std::uint32_t inputs) { return 0x01'0101'0101ULL * inputs; }
/// All pairs with these outputs.
inline constexpr auto with_outputs = [] {
    std::array<Pairs, 32> table{};
    for (unsigned mask = 0; mask < 32; ++mask) {
        for (unsigned port = 0; port < ports; ++port)
            table[mask] |= (mask >> port & 1U) != 0 ? Pairs{31} << (8 * port) : 0;
    }
    return table;
}();

/// Inputs of a set of pairs, and outputs of a set of pairs. Precondition: no two pairs share an input, or an output,
/// respectively.
[[nodiscard]] constexpr std::uint32_t inputs_of(Pairs pairs) {
    return static_cast<std::uint32_t>(pairs * 0x01'0101'0101ULL >> 32U & 31U);
}
[[nodiscard]] constexpr std::uint32_t outputs_of(Pairs pairs) {
    // A byte that is not zero carries into its bit 5; the multiplication gathers those bits.
    std::uint64_t const any = (pairs + 0x1f'1f1f'1f1fULL) >> 5U & 0x01'0101'0101ULL;
    constexpr std::uint64_t gather = std::uint64_t{1} | std::uint64_t{1} << 7U | std::uint64_t{1} << 14U |
                                     std::uint64_t{1} << 21U | std::uint64_t{1} << 28U;
    return static_cast<std::uint32_t>(any * gather >> 28U & 31U);
}

/// The lowest port of a mask; 0 for an empty one.
inline constexpr auto lowest = [] {
    std::array<std::uint8_t, 32> table{};
    for (unsigned mask = 1; mask < 32; ++mask) table[mask] = static_cast<std::uint8_t>(std::countr_zero(mask));
    return table;
}();

/// The first input of a mask after `last`, cyclically: [last][mask]. Masks are not empty.
inline constexpr auto next_in_turn = [] {
    std::array<std::array<std::uint8_t, 32>, ports> table{};
    for (unsigned last = 0; last < ports; ++last) {
        for (unsigned mask = 1; mask < 32; ++mask) {
            unsigned port = last;
            do port = (port + 1) % ports;
            while ((mask >> port & 1U) == 0);
            table[last][mask] = static_cast<std::uint8_t>(port);
        }
    }
    return table;
}();

}  // namespace pimdse::sim::noc::lanes

/// Encoding of flits and of the news of a router, and the state of the network. README.md explains it with an example.
namespace pimdse::sim::noc {

using Cycle = std::int64_t;
using MessageId = std::int32_t;
using Mask = std::uint32_t;  ///< a bit per port

/// Lower half: message (30 bits) | tail | head. Upper half: two legs of the route with 16 bits each, the current one in
/// the lower bits: hops left (13) | output (3). The leg after the last one is `local_out`.
using Flit = std::uint64_t;

inline constexpr Flit head_bit = 1, tail_bit = 2;
inline constexpr unsigned special_out = ports;  ///< output of a flit that is not a unicast: its tree decides
/// The local port; also the lane of the credits of the injection link, because ejection needs none.
inline constexpr unsigned local_out = 4;

[[nodiscard]] constexpr MessageId message_of(Flit flit) {
    return static_cast<MessageId>(static_cast<std::uint32_t>(flit) >> 2U);
}
[[nodiscard]] constexpr bool is_tail(Flit flit) { return (flit & tail_bit) != 0; }
[[nodiscard]] constexpr unsigned out_of(Flit flit) { return static_cast<unsigned>(flit >> 32U & 7U); }

/// The flit at the next router: one hop less in its leg, or on its next leg.
[[nodiscard]] constexpr Flit one_hop_on(Flit flit) {
    constexpr Flit hop = Flit{8} << 32U, hops = Flit{0xfff8} << 32U, behind = Flit{local_out} << 48U;
    Flit const on = flit - hop;
    Flit const turned = (on & 0xffff'ffffU) | (on >> 16U & Flit{0xffff} << 32U) | behind;
    // By a mask instead of a branch, because it cannot be predicted where a packet turns.
    Flit const same_leg = Flit{0} - static_cast<Flit>((on & hops) != 0);
    return turned ^ ((turned ^ on) & same_leg);
}

/// The route from one router to another: along the row first, then along the column.
[[nodiscard]] constexpr Flit route_of(Mesh mesh, Node source, Node destination) {
    auto const leg = [](std::int32_t by, unsigned before, unsigned behind) {
        return static_cast<Flit>(by < 0 ? -by : by) << 3U | (by < 0 ? before : behind);
    };
    auto const x = mesh.col(destination) - mesh.col(source), y = mesh.row(destination) - mesh.row(source);
    Flit route = local_out;
    if (y != 0) route = route << 16U | leg(y, 0, 2);
    if (x != 0) route = route << 16U | leg(x, 3, 1);
    return route << 32U;
}

/// News of a router for one cycle, in 16 bits: flits that arrive, by input; credits, by output (those of the injection
/// link among them); whether more arrives by the longer paths (through an adder, or back from a chain); and whether the
/// router must check its work again.
inline constexpr unsigned credits_at = 5, late_at = 10, wake_at = 11;
/// Number of routers that share a word which shows that at least one of them has news.
inline constexpr unsigned news_block = 64;

/// The port at the other end of every link; the local port is its own other end.
inline constexpr std::array<std::uint8_t, ports> other_end{2, 3, 0, 1, 4};

/// One router of a tree.
struct Branch {
    Node node = 0;
    std::uint8_t children = 0;  ///< ports that lead to children, as bits
    Port parent = Port::local;  ///< port that leads to the parent; local at the root
    bool member = false;        ///< receives (broadcast) or contributes (reduction); other routers only forward

    friend bool operator==(Branch const&, Branch const&) = default;
};

/// A tree of mesh links for a broadcast (away from the root) or a reduction (towards it).
class Tree {
  public:
    /// The union of the XY routes from the root to every member: columns that branch off one row.
    static Tree xy(Mesh mesh, Node root, std::span<Node const> members);
    /// A path of neighbouring routers, all members, with its root at index `root_at`. Throws ContractViolation if two
    /// consecutive routers are not neighbours or a router occurs twice.
    static Tree path(Mesh mesh, std::span<Node const> path, std::size_t root_at);

    [[nodiscard]] Node root() const { return root_; }
    [[nodiscard]] std::span<Branch const> branches() const { return branches_; }  ///< sorted by node
    [[nodiscard]] Branch const& at(Node node) const;
    [[nodiscard]] int depth() const { return depth_; }
    [[nodiscard]] int members() const { return members_; }
    /// Output ports of a broadcast at a router: children, and local if the router is a member.
    [[nodiscard]] static std::uint8_t copies(Branch const& branch) {
        return static_cast<std::uint8_t>(branch.children | (branch.member ? bit(Port::local) : 0));
    }
    [[nodiscard]] Node neighbour(Node node, Port port) const { return mesh_.neighbour(node, port); }

  private:
    Mesh mesh_;
    Node root_ = 0;
    int depth_ = 0;
    int members_ = 0;
    std::vector<Branch> branches_;
};

/// Delays of a router in cycles. The defaults are those of the reference rows (routers without speculation, with one
/// virtual channel).
struct RouterTiming {
    std::int32_t fifo_flits = 16;
    std::int32_t traversal = 3;  ///< from winning the switch to arriving in the next FIFO; credits take as long
    std::int32_t injection = 2;  ///< link from a node into its local FIFO
    std::int32_t adder = 2;      ///< time in which a reduction adds arriving flits
};

/// A message that arrived; `arrived` is the cycle in which its last flit reached its (last) destination.
struct Arrival {
    MessageId message = 0;
    Cycle injected = 0;  ///< cycle in which its head entered the injection link
    Cycle arrived = 0;
};

/// State of a network at the start of a cycle. The steps of a cycle are functions of it, see network.cpp.
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
    /// A router without its FIFOs. The steps of a cycle update it, see network.cpp.
    struct Router {
        std::uint64_t flits = 0;      // lanes: flits in the FIFOs
        std::uint64_t credits = 0;    // lanes: free places behind the outputs north to west, and in the local FIFO
        lanes::Pairs moving = 0;      // unicasts that own an output
        lanes::Pairs requesting = 0;  // unicasts that request an output
        lanes::Pairs tails = 0;       // pairs of `moving` whose last flit left in this cycle
        Mask queued = 0;              // 1: its node has something to inject
        Mask leading = 0;             // inputs that lead a moving tree
        Mask requesting_trees = 0;    // inputs that hold a tree's head
        Mask engaged = 0;             // inputs with trees, moving or requesting
        Mask owned = 0;               // outputs taken by trees and chains
        Mask released = 0;            // outputs that the tail of a tree left in this cycle: free in the next
        std::array<std::uint16_t, ports> read{};   // read positions of its FIFOs
        std::array<std::uint16_t, ports> write{};  // write positions behind its outputs; last: in its local FIFO
        std::array<std::uint16_t, ports> last{ports - 1, ports - 1, ports - 1, ports - 1,
                                              ports - 1};  // last grant of an output
    };
    struct MovablePairs {
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
    std::uint64_t below_deepest;  // added to a word of flits: sets the top bit of lanes above deepest_fifo
    bool moved = false, stuck = false;

    std::vector<Router> routers;
    std::vector<std::uint32_t> visited, injecting;  // routers of this cycle: with work; with an injection
    std::vector<MovablePairs> movable_pairs;
    std::vector<Heads> heads;
    std::vector<Move> moves;
    std::size_t visits = 0, injections = 0, movable_count = 0, head_count = 0;
    std::vector<Source> sources;
    // FIFOs per input port, by port_index. Not initialised: of a deep FIFO only the places that flits reach cost
    // memory.
    std::unique_ptr<Flit[]> fifo;
    std::uint32_t fifo_shift = 0, fifo_mask = 0;
    std::vector<Mask> leaves_by;      // by leader of a tree: outputs granted
    std::vector<Mask> joined;         // by leader: inputs that move together
    std::vector<std::int32_t> delay;  // by leader: traversal plus adder if the next router adds; 0: the usual traversal
    std::vector<std::int64_t> link_flits;  // per output port
    // By port, equal in all routers: distance to the router behind the port, and from the first place of a router's
    // FIFOs to the first place of the FIFO behind the output.
    std::array<std::ptrdiff_t, ports> step{}, fifo_step{};

    // What is in flight, by the cycle in which it arrives.
    std::size_t slot_mask = 0, blocks = 0, soon = 0;
    std::vector<std::uint16_t> news, late_news;  // by slot and router
    std::vector<std::uint32_t> has_news;         // by slot and block of routers: 1 if there is news
    std::uint16_t* news_soon = nullptr;          // of the slot `traversal` cycles ahead
    std::uint32_t* has_news_soon = nullptr;
    std::uint16_t *news_now = nullptr, *news_next = nullptr;  // of this and the next cycle
    std::uint32_t* has_news_next = nullptr;
    std::vector<std::int64_t> ejecting;         // flits, by slot
    std::vector<std::vector<MessageId>> tails;  // messages whose last flits are among them, by slot

    std::vector<Message> messages;
    std::vector<MessageId> free_messages;
    std::vector<Tree> trees;
    std::vector<Chain> chains;
    std::vector<std::size_t> live_chains;
    std::vector<Arrival> arrivals;
};

/// Registers a message in flight with this number of flits, and of tails to be ejected.
[[nodiscard]] MessageId new_message(NetworkState& n, NetworkState::Kind kind, std::int32_t target, std::int32_t flits,
                                    std::int32_t tails);
/// Appends a message to the injection queue of a node.
void queue_message(NetworkState& n, Node node, MessageId message, std::int32_t flits, Flit flit);
/// Records that a tail of the message arrived.
void finish_message(NetworkState& n, MessageId message, Cycle when);

/// Posts news that a router receives after the traversal of a switch and a link.
inline void post_news(NetworkState& n, std::size_t router, std::uint32_t news) {
    n.news_soon[router] = static_cast<std::uint16_t>(n.news_soon[router] | news);
    n.has_news_soon[router / news_block] = 1;
}

inline void post_news(NetworkState& n, Cycle when, std::size_t router, std::uint32_t news) {
    auto& stored = n.news[n.slot(when) * n.nodes() + router];
    stored = static_cast<std::uint16_t>(stored | news);
    n.has_news[n.slot(when) * n.blocks + router / news_block] = 1;
}

/// Posts news of the longer paths, which is stored apart from the rest of the slot because it may coincide with it.
inline void post_late_news(NetworkState& n, Cycle when, std::size_t router, std::uint32_t news) {
    auto& stored = n.late_news[n.slot(when) * n.nodes() + router];
    stored = static_cast<std::uint16_t>(stored | news);
    post_news(n, when, router, 1U << late_at);
}

inline void wake_next(NetworkState& n, std::size_t router) { post_news(n, n.now + 1, router, 1U << wake_at); }

/// Removes the first flit of a FIFO and returns its credit.
inline Flit take(NetworkState& n, std::size_t at, unsigned port) {
    NetworkState::Router& router = n.routers[at];
    std::uint32_t const read = router.read[port];
    Flit const flit = n.fifo[((at * ports + port) << n.fifo_shift) + read];
    router.read[port] = static_cast<std::uint16_t>((read + 1U) & n.fifo_mask);
    router.flits -= lanes::one(port);
    post_news(n, at + static_cast<std::size_t>(n.step[port]), (1U << credits_at) << other_end[port]);
    return flit;
}

/// Appends a flit to the FIFO behind an output, in the place that its credit reserved; the flit counts when its news
/// arrives. The local output stands for the injection link.
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
