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

/// The order of address bits under which a column of up to `column_bytes` lies in one bank before the next column
/// begins in the next channel: Row(upper bits)-Bank-Rank-Channel-Row(other bits)-Column. Throws InputError
/// if a bank is smaller.
[[nodiscard]] sim::dram::BitOrder columns_in_banks(Organisation const& organisation, std::int64_t column_bytes);

}  // namespace pimdse::models::umdam
