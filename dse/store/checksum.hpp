#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pimdse::dse::store {

/// The CRC-32 of zlib, gzip and PNG (polynomial 0x04C11DB7, bits in reversed order), as fast as the processor does it:
/// records of a journal are short and many (tests/bench/store compares).
[[nodiscard]] std::uint32_t crc32(std::span<std::byte const> bytes);

/// The sum of two texts one after the other, from the sums of both and the length of the second.
[[nodiscard]] std::uint32_t joined_crc32(std::uint32_t first, std::uint32_t second, std::uint64_t length);

}  // namespace pimdse::dse::store
