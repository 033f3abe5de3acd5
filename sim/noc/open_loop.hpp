#pragma once

#include "sim/noc/mesh.hpp"
#include "sim/noc/network.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::sim::noc {

/// Who sends to whom under open-loop load.
enum class Traffic : std::uint8_t {
    uniform,    ///< any node, the sender included
    transpose,  ///< (row, col) to (col, row)
    bitcomp,    ///< to the node with all bits of the number inverted
    neighbor,   ///< to (row + 1, col + 1), around the edges
};

/// Throws InputError with the known names.
[[nodiscard]] Traffic traffic_named(std::string_view name);
[[nodiscard]] std::string_view name_of(Traffic traffic);

/// Empty if the pattern exists on this mesh, else why not (transpose wants a square, bit complement a power of two).
[[nodiscard]] std::string_view why_not(Traffic traffic, Mesh mesh);

/// A number in [0, 2^64) that depends on nothing but its arguments (a mixing function, not a stream).
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
    Cycle measured = 100'000;    ///< packets created in this window count
    Cycle patience = 1'000'000;  ///< after the window, for packets that count and have not arrived; max_cycles at most
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
inline constexpr Cycle max_cycles = 1'000'000'000'000;

/// Why a mesh of such routers is not simulated, in a sentence; "" if it is.
[[nodiscard]] std::string why_not(Mesh mesh, RouterTiming const& timing);

/// Throws InputError when the load or the pattern cannot be on this mesh, and beyond the limits above.
[[nodiscard]] OpenLoopResult run(OpenLoop const& request);

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
