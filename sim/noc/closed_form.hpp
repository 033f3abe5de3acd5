#pragma once

#include "sim/noc/network.hpp"

/// Times of messages that meet no other, in cycles; the network gives exactly these (FIFOs of at least the credit round
/// trip).
namespace pimdse::sim::noc::closed_form {

/// Cycles of a flit from creation to ejection without any link, and for each link.
[[nodiscard]] constexpr Cycle fixed(RouterTiming const& t) { return t.injection + 1 + t.traversal; }
[[nodiscard]] constexpr Cycle per_hop(RouterTiming const& t) { return 1 + t.traversal; }
/// Flits a FIFO must hold so that a stream of flits has no gap: from a flit's leaving until its credit is back.
[[nodiscard]] constexpr Cycle credit_round_trip(RouterTiming const& t) { return 2 * t.traversal; }

[[nodiscard]] Cycle unicast(RouterTiming const& timing, int hops, int flits);
/// The same through any FIFO: below the credit round trip flits wait for credits.
[[nodiscard]] Cycle unicast_through(RouterTiming const& timing, int hops, int flits);
/// `messages` one behind the other down one tree.
[[nodiscard]] Cycle broadcast(RouterTiming const& timing, int depth, int flits, int messages = 1);
/// Up a path or tree in which every router adds; `messages` one behind the other.
[[nodiscard]] Cycle reduction(RouterTiming const& timing, int depth, int flits, int messages = 1);
/// Up any tree: routers that only pass on do not add.
[[nodiscard]] Cycle reduction(RouterTiming const& timing, Tree const& tree, int flits, int messages = 1);
/// Store and forward over `hops` links, each a whole vector's transfer and its service; through any FIFO.
[[nodiscard]] Cycle chain(RouterTiming const& timing, std::int64_t hops, int flits, double service,
                          std::int64_t hops_before = 0);
/// Flits of one hop of a chain in time: `flits`, or more through a FIFO below the credit round trip.
[[nodiscard]] Cycle transfer(RouterTiming const& timing, int flits);
/// The least from the first of `flits` to the last behind a FIFO of `fifo` flits whose places are free again `loop`
/// cycles after they were left.
[[nodiscard]] constexpr Cycle min_span(Cycle flits, Cycle fifo, Cycle loop) {
    Cycle const behind = flits - 1;
    return loop <= fifo ? behind : behind / fifo * loop + behind % fifo;
}

}  // namespace pimdse::sim::noc::closed_form
