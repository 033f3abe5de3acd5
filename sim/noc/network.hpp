#pragma once

#include "sim/noc/mesh.hpp"
#include "sim/noc/tree.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::sim::noc {

using Cycle = std::int64_t;
using MessageId = std::int32_t;

/// Delays of the router in cycles; the defaults are those of the reference rows (routers without speculation, one virtual channel).
struct RouterTiming {
    std::int32_t fifo_flits = 16;
    std::int32_t traversal = 3;  ///< from winning the switch to arriving in the next FIFO; credits take the same way back
    std::int32_t injection = 2;  ///< link from a node into its local FIFO
    std::int32_t adder = 2;      ///< a reduction adds arriving flits to what is there
};

/// A message that arrived: the cycle in which its last flit reached its (last) destination.
struct Arrival {
    MessageId message = 0;
    Cycle injected = 0;  ///< its head entered the injection link
    Cycle arrived = 0;
};

/// A mesh of input-buffered wormhole routers with one FIFO per port, XY routing, credits and round-robin outputs, simulated
/// cycle by cycle. A head takes a cycle to win its output, one to win the switch and `traversal` to the next FIFO; an
/// output belongs to one message from its head's grant to its tail. Four kinds of messages: unicast; broadcast down a
/// tree, a flit leaving a router by all its branches at once; reduction up a tree, a flit leaving when it is there from
/// all branches; and a chain, store and forward, that adds a whole vector at every router.
/// Deterministic: no randomness, routers visited in index order.
class Network {
  public:
    Network(Mesh mesh, RouterTiming timing);

    /// Each appends to the queue of its source (or sources) at the current cycle. flits >= 1.
    MessageId unicast(Node source, Node destination, std::int32_t flits);
    MessageId broadcast(Tree tree, std::int32_t flits);
    MessageId reduction(Tree tree, std::int32_t flits);
    /// A vector passed along neighbouring routers, at each of which `service` cycles follow its last flit's transfer: the
    /// k-th hop takes floor((k+1)*service) - floor(k*service) cycles of them, so a fractional service is exact in the sum.
    /// service >= traversal - 1, what the last flit needs to arrive.
    /// `hops_before` continues that count from an earlier chain.
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
    [[nodiscard]] std::int32_t credits(Node node, Port port) const { return credits_[static_cast<std::size_t>(port_index(node, port))]; }
    /// Flits that have left by each output port, by port_index; ejections included.
    [[nodiscard]] std::span<std::int64_t const> link_flits() const { return link_flits_; }

  private:
    using Mask = std::uint16_t;  // a bit per port, or a port; 16 bits because bytes may alias everything else
    using Flit = std::uint32_t;  // message << 2 | tail << 1 | head
    enum class Kind : std::uint8_t { unicast, broadcast, reduction, chain };

    struct Message {
        Cycle injected = -1;
        std::int32_t target = 0;  // unicast: destination; trees: index in trees_; chains: index in chains_
        std::int32_t flits = 0;
        std::int32_t to_arrive = 1;  // tails still to be ejected
        Kind kind = Kind::unicast;
    };
    struct Event {
        Flit flit;
        std::int32_t to;      // input port, node + inputs_ for ejection, or none
        std::int32_t credit;  // output port that gets a credit back, or none
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
    struct Place {
        std::int32_t x, y;  // x < 0: not a unicast
    };
    static constexpr std::int32_t none = -1;
    static constexpr Mask special = ports;  // want_: not a unicast
    static constexpr std::size_t slots = 16;

    MessageId new_message(Kind kind, std::int32_t target, std::int32_t flits, std::int32_t tails);
    void queue(Node node, MessageId message);
    void deliver();
    void arrive(std::int32_t input, Flit flit);
    void eject(Node node, Flit flit);
    void finish(MessageId message, Cycle when);
    void inject();
    void visit_routers();
    void visit(Node router);
    void allocate(Node router, Mask waiting, Mask released);
    void move(Node router, int port, Mask& released, Mask& held);
    void give_credit(std::int32_t output);
    void wake(Node router, int port);
    [[nodiscard]] bool can_move(std::size_t input) const;
    void grant_unicasts(Node router, Mask waiting, Mask released);
    void grant(Node router, unsigned out, unsigned port);
    void new_head(Node router, int port);
    void take(std::int32_t input, Mask& held);
    void send(Node router, std::int32_t output, Flit flit, std::int32_t credit, std::int32_t delay);
    // Trees and chains: network_special.cpp.
    void move_special(Node router, int port, Mask& released, Mask& held);
    [[nodiscard]] bool tree_can_move(std::size_t first, std::size_t leader) const;
    void own(std::size_t router, int port, Mask outputs);
    void grant_trees(Node router, Mask waiting, Mask released);
    void grant_broadcast(Node router, int port, Tree const& tree);
    void grant_reduction(Node router, int port, Mask waiting, Mask taken, Flit head, Tree const& tree);
    void claim_chains();
    void move_chains();
    bool chain_step(Chain& chain);
    [[nodiscard]] Cycle next_event(Cycle at_most) const;

    [[nodiscard]] std::vector<Event>& due(Cycle when) { return ring_[static_cast<std::size_t>(when) % slots]; }
    [[nodiscard]] static MessageId message_of(Flit flit) { return static_cast<MessageId>(flit >> 2U); }
    [[nodiscard]] static bool is_head(Flit flit) { return (flit & 1U) != 0; }
    [[nodiscard]] static bool is_tail(Flit flit) { return (flit & 2U) != 0; }
    [[nodiscard]] Flit front(std::size_t input) const { return fifo_[(input << fifo_shift_) + head_[input]]; }

    Mesh mesh_;
    RouterTiming timing_;
    std::int32_t inputs_;
    std::uint32_t fifo_shift_ = 0, fifo_mask_ = 0;
    Cycle now_ = 0;
    std::int64_t ejected_flits_ = 0, flits_alive_ = 0, moved_ = 0;
    std::int32_t deepest_fifo_ = 0;
    bool stuck_ = false;

    // Per input port, by port_index.
    std::vector<Flit> fifo_;
    std::vector<std::uint16_t> head_, count_;
    std::vector<Mask> want_;              // output of the waiting or moving message; `special`: ask its tree
    std::vector<Mask> leaves_by_;         // special: outputs granted
    std::vector<Mask> joined_;            // special: inputs that move together, this one leading
    std::vector<Mask> delay_;             // special: traversal and, before an adder, its time
    std::vector<std::int32_t> upstream_;  // output that gets this input's credits
    // Per output port; local outputs never run out of credits. Behind them one per node: injection links.
    std::vector<std::int32_t> credits_;
    std::vector<std::int32_t> downstream_;  // input port behind it, or ejection
    std::vector<Mask> last_grant_;
    std::vector<Mask> owner_;  // input that owns it; of a join its leader; `special`: a chain
    std::vector<std::int64_t> link_flits_;
    // Per router.
    std::vector<Mask> waiting_, moving_, owned_;  // inputs that want an output, inputs that have one, outputs taken
    std::vector<Mask> ready_;                     // of those moving, inputs with a flit and a credit (trees: with a flit)
    std::vector<std::uint64_t> active_;
    std::vector<Place> here_;
    // Sources.
    struct Source {
        std::vector<MessageId> messages;
        std::size_t first = 0;
        std::int32_t sent = 0;
    };
    std::vector<Source> sources_;
    std::vector<std::uint64_t> injecting_;

    std::array<std::vector<Event>, slots> ring_;
    std::int64_t events_ = 0;
    std::vector<Message> messages_;
    std::vector<Place> places_;  // destination of a unicast, by message
    std::vector<MessageId> free_messages_;
    std::vector<Tree> trees_;
    std::vector<Chain> chains_;
    std::vector<std::size_t> live_chains_;
    std::vector<Arrival> arrivals_;
};

}  // namespace pimdse::sim::noc
