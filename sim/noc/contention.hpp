#pragma once

#include "sim/noc/open_loop.hpp"

namespace pimdse::sim::noc {

/// What queueing theory says of open-loop traffic.
struct Contention {
    double latency = 0.0;    ///< mean cycles from creation to the last flit's ejection
    bool saturated = false;  ///< some server is busier than 99 %: latency means nothing
};

/// A fixed point over all FIFOs: each is an M/G/1 server whose service is its own transfer, the mean wait for its next
/// output behind the other inputs, and, for packets longer than a FIFO, the queue behind it. A FIFO below the credit
/// round trip throttles the link into it: a flit takes one of its places from when it leaves until its credit is back.
/// Only mesh, timing, traffic, packet_flits and load of the request matter.
[[nodiscard]] Contention contention(OpenLoop const& request);

/// Largest load (flits per node and cycle, within 0.5 %) that contention() does not call saturated.
[[nodiscard]] double saturation_load(OpenLoop request);

}  // namespace pimdse::sim::noc
