#pragma once

#include "sim/noc/mesh.hpp"
#include "sim/noc/network.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::sim::noc {

/// Traffic pattern under open-loop load.
enum class Traffic : std::uint8_t {
    uniform,    ///< any node, the sender included
    transpose,  ///< (row, col) to (col, row)
    bitcomp,    ///< to the node with all bits of the number inverted
    neighbor,   ///< to (row + 1, col + 1), wrapping around the edges
};

/// Traffic pattern by name. Throws InputError that lists the known names.
[[nodiscard]] Traffic traffic_named(std::string_view name);
[[nodiscard]] std::string_view name_of(Traffic traffic);

/// Empty if the pattern exists on this mesh; otherwise the reason (transpose needs a square mesh, bit complement a
/// power of two).
[[nodiscard]] std::string_view why_not(Traffic traffic, Mesh mesh);

/// A number in [0, 2^64) that depends only on the arguments (a mixing function, not a stream).
[[nodiscard]] std::uint64_t hashed(std::uint64_t seed, std::uint64_t counter);

/// Destination of a packet; `random` is used by uniform traffic only.
[[nodiscard]] Node destination(Traffic traffic, Mesh mesh, Node source, std::uint64_t random);

/// Probability that a packet of `source` goes to each node; sums to 1.
[[nodiscard]] std::vector<double> destination_shares(Traffic traffic, Mesh mesh, Node source);

/// Every node creates a packet with probability load / packet_flits in every cycle, into an unbounded queue.
struct OpenLoop {
    Mesh mesh{8, 8};
    RouterTiming timing;
    Traffic traffic = Traffic::uniform;
    std::int32_t packet_flits = 1;
    double load = 0.1;  ///< flits per node and cycle, 0 < load <= packet_flits
    Cycle warmup = 10'000;
    Cycle measured = 100'000;    ///< packets created in this window are measured
    Cycle patience = 1'000'000;  ///< limit after the window for measured packets to arrive; at most max_cycles
    std::uint64_t seed = 1;
};

/// Results of an open loop. Means and the maximum are over the measured packets that arrived (`hops`: over all measured
/// packets); nullopt if there are none.
struct OpenLoopResult {
    std::optional<double> latency;          ///< mean cycles from creation to the ejection of the last flit
    std::optional<double> network_latency;  ///< the same from the injection of the head
    double accepted = 0.0;                  ///< flits per node and cycle ejected in the window
    double offered = 0.0;                   ///< flits per node and cycle created in the window
    std::optional<double> hops;             ///< mean number of links of a packet's route; one less than routers
    std::optional<Cycle> longest;           ///< maximum latency of a packet
    std::int64_t packets = 0;               ///< measured
    std::int64_t cycles = 0;                ///< all simulated cycles
    std::int32_t deepest_fifo = 0;
    bool drained = false;  ///< every measured packet arrived within `patience`
    /// The flits that wait at their sources or in the network became more and more over the window: the load is above
    /// what the network accepts, and latencies grow with the length of the run. nullopt: the window is too short to
    /// tell, below eight times the latency of the longest route alone.
    std::optional<bool> saturated;
};

/// Limits of an open loop: beyond them a run takes years or more memory than a host has.
inline constexpr Cycle max_cycles = 1'000'000'000'000;

/// Reason why a mesh of such routers cannot be simulated; "" if it can.
[[nodiscard]] std::string why_not(Mesh mesh, RouterTiming const& timing);

/// The mesh that a text such as "8x16" (rows x columns) names, with at least one of each; nothing for other texts.
[[nodiscard]] std::optional<Mesh> mesh_named(std::string_view text);

/// Simulates open-loop load. Throws InputError if the load or the pattern is impossible on this mesh, and beyond the
/// limits above.
[[nodiscard]] OpenLoopResult run(OpenLoop const& request);

/// Estimate of open-loop traffic by queueing theory.
struct Contention {
    double latency = 0.0;    ///< mean cycles from creation to the ejection of the last flit
    bool saturated = false;  ///< some server is busier than 99 %: `latency` has no meaning
};

/// A fixed point over all FIFOs. Each FIFO is an M/G/1 server whose service time is its own transfer, the mean wait for
/// its next output behind the other inputs, and, for packets longer than a FIFO, the queue behind it. A FIFO below the
/// credit round trip throttles the link into it: a flit occupies one of its places from when it leaves until its credit
/// is back. Uses only mesh, timing, traffic, packet_flits and load of the request.
[[nodiscard]] Contention contention(OpenLoop const& request);

/// Largest load (flits per node and cycle, within 0.5 %) at which contention() does not report saturation.
[[nodiscard]] double saturation_load(OpenLoop request);

}  // namespace pimdse::sim::noc
