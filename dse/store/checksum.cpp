#include "dse/store/checksum.hpp"

#include <libdeflate.h>
#include <zlib.h>

namespace pimdse::dse::store {

std::uint32_t crc32(std::span<std::byte const> bytes) { return libdeflate_crc32(0, bytes.data(), bytes.size()); }

std::uint32_t joined_crc32(std::uint32_t first, std::uint32_t second, std::uint64_t length) {
    return static_cast<std::uint32_t>(::crc32_combine(first, second, static_cast<z_off_t>(length)));
}

}  // namespace pimdse::dse::store
