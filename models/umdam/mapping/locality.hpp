#pragma once

#include "sim/dram/mapping/mapping.hpp"

#include <cstdint>

namespace pimdse::models::umdam {

/// How the columns of a stored matrix meet the banks under a mapping.
struct Locality {
    std::int64_t split = 1;   ///< banks one column touches, the worst tile column; 1: PIM needs no sums across banks
    std::int64_t inside = 1;  ///< of them inside one channel: its global buffer needs that many times the inputs of one
    std::int64_t phases =
        1;  ///< inputs that banks of a channel hold at the same row and column: all-bank MACs are given for each
    std::int64_t busiest = 0;  ///< bytes of the matrix in the bank that holds most
    bool lock_step = true;     ///< row and column within a bank are equal in all banks
};

/// A matrix stored as Layout does by default: tiles of `lanes` columns x `interleave` bytes, tile column after tile
/// column.
struct StoredShape {
    std::int64_t tile_rows = 1, tile_columns = 1;
    std::int64_t interleave = 256, lanes = 64;
    [[nodiscard]] std::int64_t tiles() const { return tile_rows * tile_columns; }
    [[nodiscard]] std::int64_t tile_bytes() const { return interleave * lanes; }
    auto operator<=>(StoredShape const&) const = default;
};

/// Checks the mapping against the layout. lanes and interleave are powers of two; the matrix starts at a multiple of
/// the next power of two of its size (address bits above it are constant). Phases are counted over so many tiles.
[[nodiscard]] Locality locality_of(sim::dram::Mapping const& mapping, StoredShape const& shape, double tiles);

/// Whether locality_of finds split == 1 and lock_step, without counting how badly it fails.
[[nodiscard]] bool is_legal(sim::dram::Mapping const& mapping, StoredShape const& shape);

}  // namespace pimdse::models::umdam
