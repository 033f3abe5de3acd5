#pragma once

#include "sim/noc/network_state.hpp"

#include <span>
#include <vector>

namespace pimdse::sim::noc {

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
    [[nodiscard]] Cycle now() const { return state_.now; }
    /// No flit is queued or under way.
    [[nodiscard]] bool idle() const { return state_.flits_alive == 0; }
    /// Nothing can move and nothing is under way although flits wait: only a cyclic wait of trees can do this.
    [[nodiscard]] bool stuck() const { return state_.stuck; }

    /// What arrived since the last call to forget_arrivals().
    [[nodiscard]] std::vector<Arrival> const& arrivals() const { return state_.arrivals; }
    void forget_arrivals() { state_.arrivals.clear(); }

    [[nodiscard]] Mesh mesh() const { return state_.mesh; }
    [[nodiscard]] std::int64_t ejected_flits() const { return state_.ejected_flits; }
    [[nodiscard]] std::int32_t deepest_fifo() const { return state_.deepest_fifo; }
    [[nodiscard]] std::int32_t credits(Node node, Port port) const {
        return lanes::at(state_.routers[static_cast<std::size_t>(node)].credits, static_cast<unsigned>(index(port)));
    }
    /// Flits that have left by each output port, by port_index; ejections included.
    [[nodiscard]] std::span<std::int64_t const> link_flits() const { return state_.link_flits; }

  private:
    NetworkState state_;
};

}  // namespace pimdse::sim::noc
