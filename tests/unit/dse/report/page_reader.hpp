#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

/// What a page's columns say, read back slowly and by other means than they were written.
namespace pimdse::dse::report::testing {

inline std::vector<std::uint8_t> from_base64(std::string const& text) {
    std::string const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<std::uint8_t> bytes;
    unsigned bits = 0, have = 0;
    for (char const c : text) {
        if (c == '=') break;
        auto const digit = digits.find(c);
        if (digit == std::string::npos) throw std::runtime_error("no digit of base64");
        bits = bits << 6 | static_cast<unsigned>(digit);
        have += 6;
        if (have < 8) continue;
        have -= 8;
        bytes.push_back(static_cast<std::uint8_t>(bits >> have));
        bits &= (1U << have) - 1;
    }
    return bytes;
}

inline std::vector<std::uint8_t> inflated(std::vector<std::uint8_t> const& packed, std::size_t size) {
    std::vector<std::uint8_t> bytes(size + 1);
    uLongf have = bytes.size();
    if (::uncompress(bytes.data(), &have, packed.data(), packed.size()) != Z_OK || have != size)
        throw std::runtime_error("not the bytes that were promised");
    bytes.resize(size);
    return bytes;
}

/// Number `i` of `count`, of which byte b stands at b * count + i.
inline std::uint64_t word_at(std::vector<std::uint8_t> const& bytes, std::size_t begin, std::size_t count,
                             std::size_t i, std::size_t width) {
    std::uint64_t word = 0;
    for (std::size_t b = 0; b < width; ++b) word |= std::uint64_t{bytes[begin + b * count + i]} << (8 * b);
    return word;
}

/// Numbers of eight bytes that stand as differences.
inline std::vector<std::uint64_t> sums_at(std::vector<std::uint8_t> const& bytes, std::size_t begin,
                                          std::size_t count) {
    std::vector<std::uint64_t> sums;
    for (std::size_t i = 0; i < count; ++i)
        sums.push_back((sums.empty() ? 0 : sums.back()) + word_at(bytes, begin, count, i, 8));
    return sums;
}

}  // namespace pimdse::dse::report::testing
