#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pimdse::dse {

/// The CRC-32 of zlib, gzip and PNG (polynomial 0x04C11DB7, bits in reversed order), by carry-less multiplication where
/// the processor has it: records of a journal are short and many, and zlib's tables take as long for one as its
/// insertion into the store.
[[nodiscard]] std::uint32_t crc32(std::span<std::byte const> bytes);

}  // namespace pimdse::dse
