#pragma once

#include "sim/noc/network.hpp"

/// Latencies of messages without contention, in cycles. The network gives exactly these (for FIFOs of at least the
/// credit round trip).
namespace pimdse::sim::noc::closed_form {

/// Cycles of a flit from creation to ejection without any link, and per link.
[[nodiscard]] constexpr Cycle fixed(RouterTiming const& t) { return t.injection + 1 + t.traversal; }
[[nodiscard]] constexpr Cycle per_hop(RouterTiming const& t) { return 1 + t.traversal; }
/// Flits that a FIFO must hold so that a stream of flits has no gap: cycles from when a flit leaves until its credit is
/// back.
[[nodiscard]] constexpr Cycle credit_round_trip(RouterTiming const& t) { return 2 * t.traversal; }

[[nodiscard]] Cycle unicast(RouterTiming const& timing, int hops, int flits);
/// The same for FIFOs of any size: below the credit round trip, flits wait for credits.
[[nodiscard]] Cycle unicast_through(RouterTiming const& timing, int hops, int flits);
/// `messages` consecutive broadcasts down one tree.
[[nodiscard]] Cycle broadcast(RouterTiming const& timing, int depth, int flits, int messages = 1);
/// A reduction up a path or tree in which every router adds; `messages` consecutive ones.
[[nodiscard]] Cycle reduction(RouterTiming const& timing, int depth, int flits, int messages = 1);
/// A reduction up any tree: routers that only forward do not add.
[[nodiscard]] Cycle reduction(RouterTiming const& timing, Tree const& tree, int flits, int messages = 1);
/// Store and forward over `hops` links, each with the transfer of a whole vector and its service; for FIFOs of any
/// size.
[[nodiscard]] Cycle chain(RouterTiming const& timing, std::int64_t hops, int flits, double service,
                          std::int64_t hops_before = 0);
/// Cycles for the transfer of one hop of a chain: `flits`, or more through a FIFO below the credit round trip.
[[nodiscard]] Cycle transfer(RouterTiming const& timing, int flits);
/// Lower bound of the cycles from the first to the last of `flits` flits behind a FIFO of `fifo` flits, whose places
/// are free again `loop` cycles after a flit left them.
[[nodiscard]] constexpr Cycle min_span(Cycle flits, Cycle fifo, Cycle loop) {
    Cycle const behind = flits - 1;
    return loop <= fifo ? behind : behind / fifo * loop + behind % fifo;
}

}  // namespace pimdse::sim::noc::closed_form
