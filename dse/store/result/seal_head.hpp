#pragma once

#include "dse/store/durable_file.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace pimdse::dse::store::result {

/// The first 512 bytes of a sealed result file, which HDF5 skips: a line of text, the length of what follows and its
/// CRC-32. They are checked before HDF5 sees the file, because it may crash on a damaged one.
inline constexpr std::size_t seal_head_bytes = 512;

/// Fills in the head of a file in memory, which begins with room for it.
void put_seal_head(std::span<std::byte> file);

enum class Seal : std::uint8_t { whole, none };
/// Whether the file is what was sealed, or has no head (written before there were heads, or by another program). Throws
/// StorageError where it has one and differs from what was sealed.
[[nodiscard]] Seal check_seal(DurableFile const& file);

}  // namespace pimdse::dse::store::result
