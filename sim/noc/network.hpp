#pragma once

#include "sim/noc/lanes.hpp"
#include "sim/noc/mesh.hpp"
#include "sim/noc/tree.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::sim::noc {

using Cycle = std::int64_t;
using MessageId = std::int32_t;

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

/// A mesh of input-buffered wormhole routers with one FIFO per port, XY routing, credits and round-robin outputs,
/// simulated cycle by cycle. A head takes a cycle to win its output, one to win the switch and `traversal` to the next
/// FIFO; an output belongs to one message from its head's grant to its tail. Four kinds of messages: unicast; broadcast
/// down a tree, a flit leaving a router by all its branches at once; reduction up a tree, a flit leaving when it is
/// there from all branches; and a chain, store and forward, that adds a whole vector at every router. Deterministic: no
/// randomness, routers visited in index order.
class Network {
  public:
    Network(Mesh mesh, RouterTiming timing);
    Network(Network const&) = delete;
    Network& operator=(Network const&) = delete;

    /// Each appends to the queue of its source (or sources) at the current cycle. flits >= 1.
    MessageId unicast(Node source, Node destination, std::int32_t flits);
    MessageId broadcast(Tree tree, std::int32_t flits);
    MessageId reduction(Tree tree, std::int32_t flits);
    /// A vector passed along neighbouring routers, at each of which `service` cycles follow its last flit's transfer:
    /// the k-th hop takes floor((k+1)*service) - floor(k*service) cycles of them, so a fractional service is exact in
    /// the sum. service >= traversal - 1, what the last flit needs to arrive. `hops_before` continues that count from
    /// an earlier chain.
    MessageId chain(std::vector<Node> path, std::int32_t flits, double service, std::int64_t hops_before = 0);

    /// Simulates one cycle, or jumps to `at_most` or the next cycle in which anything can happen.
    void advance(Cycle at_most);
    [[nodiscard]] Cycle now() const { return now_; }
    /// No flit is queued or under way.
    [[nodiscard]] bool idle() const { return flits_alive_ == 0; }
    /// Nothing can move and nothing is under way although flits wait: only a cyclic wait of trees can do this.
    [[nodiscard]] bool stuck() const { return stuck_; }

    /// What arrived since the last call to forget_arrivals().
    [[nodiscard]] std::vector<Arrival> const& arrivals() const { return arrivals_; }
    void forget_arrivals() { arrivals_.clear(); }

    [[nodiscard]] Mesh mesh() const { return mesh_; }
    [[nodiscard]] std::int64_t ejected_flits() const { return ejected_flits_; }
    [[nodiscard]] std::int64_t flits_alive() const { return flits_alive_; }
    [[nodiscard]] std::int32_t deepest_fifo() const { return deepest_fifo_; }
    [[nodiscard]] std::int32_t credits(Node node, Port port) const {
        return lanes::at(routers_[static_cast<std::size_t>(node)].credits, static_cast<unsigned>(index(port)));
    }
    /// Flits that have left by each output port, by port_index; ejections included.
    [[nodiscard]] std::span<std::int64_t const> link_flits() const { return link_flits_; }

  private:
    using Mask = std::uint32_t;  // a bit per port
    /// message (30 bits) | tail | head in the lower half; in the upper two legs of its way of 16 bits each, the one it
    /// is on lower: hops left (13) | output (3). The leg behind the last is `local`.
    using Flit = std::uint64_t;
    enum class Kind : std::uint8_t { unicast, broadcast, reduction, chain };

    struct Message {
        Cycle injected = -1;
        std::int32_t target = 0;     // trees: index in trees_; chains: index in chains_
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
    /// A router but for its FIFOs. What happens to it is spread over the steps of a cycle, see network_visit.cpp.
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
    static constexpr unsigned special = ports;  // out of a flit that is not a unicast's: ask its tree
    static constexpr unsigned local = 4;  // the port; the lane of the injection link's credits: ejection needs none
    // What a router is told for a cycle: flits arriving by input, credits by output (the injection link's with them),
    // and whether more came by the longer ways: through an adder, or back from a chain.
    static constexpr unsigned credits_at = 5, late_at = 10, wake_at = 11;
    static constexpr unsigned block = 64;  // routers

    MessageId new_message(Kind kind, std::int32_t target, std::int32_t flits, std::int32_t tails);
    void queue(Node node, MessageId message, std::int32_t flits, Flit flit);
    void finish(MessageId message, Cycle when);
    void eject_due();
    void visit_due();
    void hear();
    void come(std::size_t at);
    void come_late(Router& router, std::size_t at);
    void note_depth(std::uint64_t flits);
    void move_flits();
    void inject(std::size_t at);
    void ask(std::size_t at, Mask heads);
    [[nodiscard]] static lanes::Pairs grant(Router& router);
    void allocate(std::size_t at);
    [[nodiscard]] static lanes::Pairs can_go(Router const& router);
    void tell(std::size_t router, std::uint32_t news);
    void tell(Cycle when, std::size_t router, std::uint32_t news);
    void tell_late(Cycle when, std::size_t router, std::uint32_t news);
    void wake(std::size_t router);
    Flit take(std::size_t at, unsigned port);
    void put(std::size_t at, unsigned out, Flit flit);
    void eject(std::size_t at, Flit flit);
    void send(std::size_t at, unsigned out, Flit flit);
    [[nodiscard]] static Flit one_hop_on(Flit flit);
    // Trees and chains: network_special.cpp.
    void move_trees(std::size_t at);
    void grant_trees(std::size_t at);
    [[nodiscard]] bool trees_can_move(std::size_t at) const;
    [[nodiscard]] bool tree_can_move(std::size_t at, unsigned leader) const;
    void send_special(std::size_t at, unsigned out, Flit flit, std::int32_t delay);
    void own(std::size_t at, unsigned leader, Mask inputs, Mask outputs, std::int32_t delay);
    void grant_reduction(std::size_t at, unsigned port, Mask waiting, Mask taken, Flit head, Tree const& tree);
    void claim_chains();
    void move_chains();
    bool chain_step(Chain& chain);
    [[nodiscard]] Cycle next_event(Cycle at_most) const;

    [[nodiscard]] std::size_t slot(Cycle when) const { return static_cast<std::size_t>(when) & slot_mask_; }
    [[nodiscard]] std::size_t nodes() const { return routers_.size(); }
    [[nodiscard]] static Flit message_bits(MessageId message) { return static_cast<Flit>(message) << 2U; }
    [[nodiscard]] static MessageId message_of(Flit flit) {
        return static_cast<MessageId>(static_cast<std::uint32_t>(flit) >> 2U);
    }
    [[nodiscard]] static bool is_tail(Flit flit) { return (flit & 2U) != 0; }
    [[nodiscard]] static unsigned out_of(Flit flit) { return static_cast<unsigned>(flit >> 32U & 7U); }
    [[nodiscard]] Flit front(std::size_t at, unsigned port) const {
        return fifo_[((at * ports + port) << fifo_shift_) + routers_[at].read[port]];
    }

    Mesh mesh_;
    RouterTiming timing_;
    Cycle now_ = 0;
    std::int64_t ejected_flits_ = 0, flits_alive_ = 0;
    std::int32_t deepest_fifo_ = 0;
    std::uint64_t below_deepest_;  // added to a word of flits, shows lanes above deepest_fifo_ at their tops
    bool moved_ = false, stuck_ = false;

    std::vector<Router> routers_;
    std::vector<std::uint32_t> visited_,
        injecting_;  // routers of this cycle: with news or something to do; that inject
    std::vector<Going> going_;
    std::vector<Heads> heads_;
    std::vector<Move> moves_;
    std::size_t visits_ = 0, injections_ = 0, goings_ = 0, asks_ = 0;
    std::vector<Source> sources_;
    // Per input port, by port_index.
    std::vector<Flit> fifo_;
    std::uint32_t fifo_shift_ = 0, fifo_mask_ = 0;
    std::vector<Mask> leaves_by_;           // of a leader of a tree: outputs granted
    std::vector<Mask> joined_;              // of a leader: inputs that move together
    std::vector<std::int32_t> delay_;       // of a leader: traversal and, before an adder, its time
    std::vector<std::int64_t> link_flits_;  // per output port
    // By port, the same in every router: from it to the one behind the port, and from the first place of its FIFOs to
    // the first place of the FIFO behind the output.
    std::array<std::ptrdiff_t, ports> step_{}, fifo_step_{};

    // What is under way, by the cycle in which it comes.
    std::size_t slot_mask_ = 0, blocks_ = 0, soon_ = 0;
    std::vector<std::uint16_t> news_, late_news_;  // by slot and router
    std::vector<std::uint32_t> told_;              // by slot and block of routers: 1 if there is news
    std::uint16_t* news_soon_ = nullptr;           // of the slot `traversal` ahead
    std::uint32_t* told_soon_ = nullptr;
    std::uint16_t *news_now_ = nullptr, *news_next_ = nullptr;  // of this and the next cycle
    std::uint32_t* told_next_ = nullptr;
    std::vector<std::int64_t> ejecting_;         // flits, by slot
    std::vector<std::vector<MessageId>> tails_;  // the last flits among them, by slot

    std::vector<Message> messages_;
    std::vector<MessageId> free_messages_;
    std::vector<Tree> trees_;
    std::vector<Chain> chains_;
    std::vector<std::size_t> live_chains_;
    std::vector<Arrival> arrivals_;
};

}  // namespace pimdse::sim::noc
