#pragma once

#include "sim/noc/mesh.hpp"

#include <cstdint>
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

}  // namespace pimdse::sim::noc
