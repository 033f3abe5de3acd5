#pragma once

#include "sim/dram/mapping/mapping.hpp"

#include <cstdint>

namespace pimdse::sim::dram {

/// A matrix laid out in tiles of `lanes` columns: element bytes of tile row `tr`, tile column `tc`, lane `lc` and
/// offset `at` (below `granularity`) lie at base + (tc * tile_rows + tr) * lanes * granularity + lc * granularity + at.
struct TiledMatrix {
    std::uint64_t base = 0;           ///< multiple of lanes * granularity
    std::uint64_t granularity = 256;  ///< bytes, a power of two, at least a burst
    std::uint64_t lanes = 64;         ///< power of two
    std::uint64_t tile_rows = 1;
    std::uint64_t tile_columns = 1;
};

/// What processing in memory finds of a layout under a mapping; a lane is a (channel, rank, group, bank).
struct LaneLocality {
    std::uint64_t split_factor =
        1;  ///< most lanes that hold parts of one matrix column; 1: legal without cross-lane sums
    std::uint64_t lanes_used = 0;  ///< distinct lanes of one tile row
    bool lock_step = false;        ///< all lanes have the same row and column at the same place of a tile column
    [[nodiscard]] bool legal() const { return split_factor == 1; }
};

/// The generic check: lanes as a function of the tile row, for every tile column. Preconditions as stated on
/// TiledMatrix (checked).
[[nodiscard]] LaneLocality lane_locality(Mapping const& mapping, TiledMatrix const& matrix);

}  // namespace pimdse::sim::dram
