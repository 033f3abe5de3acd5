#pragma once

#include "models/umdam/layout.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/standard.hpp"

#include <cstdint>

namespace pimdse::models::umdam {

/// The mapping seen by an NPU that reads the tiles of a stored matrix down one tile column after the other, whatever
/// order they are stored in: from the position in that order to bank, row and column. The counts of tile rows and
/// columns are rounded up to powers of two, so that both orders differ by a permutation of address bits.
[[nodiscard]] sim::dram::Mapping read_by_columns(sim::dram::Mapping const& mapping, StoredShape const& shape,
                                                 Organisation const& organisation);

/// The order of address bits under which `column_bytes`, rounded up to a power of two, lie in one bank before the next
/// channel follows, then the next bank: Row-Column-Bank-Group-Rank-Channel-Row-Column, where the lower part of row and
/// column counts the bursts of these bytes. Throws InputError if a bank is smaller.
[[nodiscard]] sim::dram::BitOrder columns_in_banks(Organisation const& organisation, std::int64_t column_bytes);

/// Addresses of column_in_bank: one column of a matrix after the other, each padded to a whole number of pieces of
/// `interleave` bytes. The banks hold the tiles of `stored`, which has one piece of a column in each bank of a tile:
/// column n lies in bank n mod lanes, behind the columns of this bank before it.
class ColumnOrder {
  public:
    /// The layout outlives this object. Precondition: tiles as wide as the banks, in the order of a column, without
    /// parts or rotation.
    explicit ColumnOrder(Layout const& stored) : stored_(stored) {}

    /// Bytes from one column to the next.
    [[nodiscard]] std::int64_t granule() const {
        return stored_.tile_rows() * (stored_.tile_bytes() / stored_.width());
    }
    /// Bit address of element (k, n); 0 <= k < K, 0 <= n < N.
    [[nodiscard]] std::uint64_t bit_address(std::int64_t k, std::int64_t n) const;
    /// The bit address in the tiles of the element at this bit address.
    [[nodiscard]] std::uint64_t in_tiles(std::uint64_t bit_address) const;

  private:
    Layout const& stored_;
};

}  // namespace pimdse::models::umdam
