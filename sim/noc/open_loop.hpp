#pragma once

#include "sim/noc/network.hpp"
#include "sim/noc/traffic.hpp"

#include <optional>
#include <string>

namespace pimdse::sim::noc {

/// Every node creates a packet with probability load / packet_flits in every cycle, into an unbounded queue.
struct OpenLoop {
    Mesh mesh{8, 8};
    RouterTiming timing;
    Traffic traffic = Traffic::uniform;
    std::int32_t packet_flits = 1;
    double load = 0.1;  ///< flits per node and cycle, 0 < load <= packet_flits
    Cycle warmup = 10'000;
    Cycle measured = 100'000;    ///< packets created in this window count
    Cycle patience = 1'000'000;  ///< after the window, for packets that count and have not arrived; most_cycles at most
    std::uint64_t seed = 1;
};

/// Means and the longest are of the packets that count and have arrived (hops: that count): nothing of none.
struct OpenLoopResult {
    std::optional<double> latency;          ///< mean cycles from creation to the last flit's ejection
    std::optional<double> network_latency;  ///< the same from the head's injection
    double accepted = 0.0;                  ///< flits per node and cycle ejected in the window
    double offered = 0.0;                   ///< flits per node and cycle created in the window
    std::optional<double> hops;             ///< mean links of a packet's way; one less than routers
    std::optional<Cycle> longest;           ///< latency of a packet
    std::int64_t packets = 0;               ///< that count
    std::int64_t cycles = 0;                ///< simulated, all
    std::int32_t deepest_fifo = 0;
    bool drained = false;  ///< every packet that counts arrived within `patience`
};

/// Limits of an open loop: what is beyond takes years or more memory than a machine has.
inline constexpr Cycle most_cycles = 1'000'000'000'000;

/// Why a mesh of such routers is not simulated, in a sentence; "" if it is.
[[nodiscard]] std::string why_not(Mesh mesh, RouterTiming const& timing);

/// Throws InputError when the load or the pattern cannot be on this mesh, and beyond the limits above.
[[nodiscard]] OpenLoopResult run(OpenLoop const& request);

}  // namespace pimdse::sim::noc
