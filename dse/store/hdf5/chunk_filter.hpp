#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::dse::store::hdf5 {

/// A chunk of a column as it lies in the file.
struct FilteredChunk {
    std::vector<std::byte> bytes;
    std::uint32_t skipped = 0;  ///< bit i: filter i of the column was not applied
};

/// What HDF5's filters shuffle, deflate and fletcher32 make of a chunk, in this order, without HDF5: any number of
/// threads at once. A chunk that deflate does not make smaller is stored without it. The bytes depend on nothing but
/// the arguments.
[[nodiscard]] FilteredChunk filter_chunk(std::span<std::byte const> raw, std::size_t element_bytes);

}  // namespace pimdse::dse::store::hdf5
