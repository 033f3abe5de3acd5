#pragma once

#include "sim/noc/network_state.hpp"

#include <span>
#include <vector>

namespace pimdse::sim::noc {

/// A mesh of input-buffered wormhole routers with one FIFO per port, XY routing, credits and round-robin outputs,
/// simulated cycle by cycle. A head takes one cycle to win its output, one to win the switch, and `traversal` cycles to
/// the next FIFO. An output belongs to one message from the grant of its head to its tail. There are four kinds of
/// messages: unicast; broadcast down a tree, in which a flit leaves a router by all branches at once; reduction up a
/// tree, in which a flit leaves when it has arrived from all branches; and chain, store and forward, which adds a whole
/// vector at every router. Deterministic: no random numbers, and routers are visited in index order.
class Network {
  public:
    Network(Mesh mesh, RouterTiming timing);
    Network(Network const&) = delete;
    Network& operator=(Network const&) = delete;

    /// Each call appends to the queue of its source (or sources) at the current cycle. flits >= 1.
    MessageId unicast(Node source, Node destination, std::int32_t flits);
    MessageId broadcast(Tree tree, std::int32_t flits);
    MessageId reduction(Tree tree, std::int32_t flits);
    /// A vector passed along neighbouring routers. At each of them, `service` cycles follow the transfer of its last
    /// flit: the k-th hop takes floor((k+1)*service) - floor(k*service) of these cycles, so the sum is exact for a
    /// fractional service. Precondition: service >= traversal - 1, the time that the last flit needs to arrive.
    /// `hops_before` continues the count of hops of an earlier chain.
    MessageId chain(std::vector<Node> path, std::int32_t flits, double service, std::int64_t hops_before = 0);

    /// Simulates one cycle. If nothing can move, jumps to the next cycle in which anything can happen, at most to
    /// `at_most`.
    void advance(Cycle at_most);
    [[nodiscard]] Cycle now() const { return state_.now; }
    /// True if no flit is queued or in flight.
    [[nodiscard]] bool idle() const { return state_.flits_alive == 0; }
    /// True if flits wait although nothing can move and nothing is in flight: only a cyclic wait of trees can cause
    /// this.
    [[nodiscard]] bool stuck() const { return state_.stuck; }

    /// Messages that arrived since the last call of forget_arrivals().
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
