#include "dse/store/hdf5/chunk_filter.hpp"

#include "dse/task/wire.hpp"
#include "sim/base/check.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace pimdse::dse::store::hdf5 {
namespace {

constexpr std::uint32_t deflate_bit = 1U << 1;
constexpr int fastest_level = 1;

/// Byte 0 of every element, then byte 1 of every element ...
template <std::size_t width>
void shuffle_of_width(std::byte const* raw, std::size_t count, std::byte* into) {
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t b = 0; b < width; ++b) into[b * count + i] = raw[i * width + b];
    }
}

std::vector<std::byte> shuffled(std::span<std::byte const> raw, std::size_t width) {
    std::vector<std::byte> bytes(raw.size());
    std::size_t const count = raw.size() / width;
    switch (width) {
        case 1:
            shuffle_of_width<1>(raw.data(), count, bytes.data());
            break;
        case 4:
            shuffle_of_width<4>(raw.data(), count, bytes.data());
            break;
        case 8:
            shuffle_of_width<8>(raw.data(), count, bytes.data());
            break;
        default:
            for (std::size_t b = 0; b < width; ++b) {
                for (std::size_t i = 0; i < count; ++i) bytes[b * count + i] = raw[i * width + b];
            }
    }
    return bytes;
}

struct FreeCompressor {
    void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
};

/// Empty where it would not be smaller.
std::vector<std::byte> deflated(std::span<std::byte const> bytes) {
    thread_local std::unique_ptr<libdeflate_compressor, FreeCompressor> const compressor(
        libdeflate_alloc_compressor(fastest_level));
    sim::ensures(compressor != nullptr, "there is memory for a compressor");
    std::vector<std::byte> smaller(bytes.size());
    smaller.resize(
        libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), smaller.data(), smaller.size()));
    return smaller;
}

/// Fletcher's sum of 16-bit words, the high byte first (J. G. Fletcher, "An arithmetic checksum for serial
/// transmissions", 1982).
std::uint32_t fletcher32(std::span<std::byte const> bytes) {
    constexpr std::size_t words_without_overflow = 360;
    auto const fold = [](std::uint32_t sum) { return (sum & 0xFFFFU) + (sum >> 16); };
    std::uint32_t first = 0, second = 0;
    for (std::size_t at = 0; at < bytes.size();) {
        std::size_t const end = std::min(bytes.size(), at + 2 * words_without_overflow);
        for (; at < end; at += 2) {
            auto const low = at + 1 < bytes.size() ? std::to_integer<std::uint32_t>(bytes[at + 1]) : 0U;
            first += std::to_integer<std::uint32_t>(bytes[at]) << 8 | low;
            second += first;
        }
        first = fold(first);
        second = fold(second);
    }
    return fold(second) << 16 | fold(first);
}

bool all_equal(std::span<std::byte const> raw, std::size_t width) {
    return raw.size() >= 2 * width && std::memcmp(raw.data(), raw.data() + width, raw.size() - width) == 0;
}

FilteredChunk filtered(std::span<std::byte const> raw, std::size_t width) {
    FilteredChunk chunk;
    auto plain = shuffled(raw, width);
    chunk.bytes = deflated(plain);
    if (chunk.bytes.empty()) {
        chunk.bytes = std::move(plain);
        chunk.skipped = deflate_bit;
    }
    task::wire::put(chunk.bytes, fletcher32(chunk.bytes));
    return chunk;
}

}  // namespace

FilteredChunk filter_chunk(std::span<std::byte const> raw, std::size_t element_bytes) {
    sim::expects(element_bytes > 0 && raw.size() % element_bytes == 0, "whole elements");
    if (!all_equal(raw, element_bytes)) return filtered(raw, element_bytes);
    // Many columns are one value from end to end: those chunks are made once.
    struct Last {
        std::vector<std::byte> element;
        std::size_t size = 0;
        FilteredChunk chunk;
    };
    thread_local Last last;
    bool const known = last.size == raw.size() && std::ranges::equal(last.element, raw.first(element_bytes));
    if (!known)
        last = {{raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(element_bytes)},
                raw.size(),
                filtered(raw, element_bytes)};
    return last.chunk;
}

}  // namespace pimdse::dse::store::hdf5
