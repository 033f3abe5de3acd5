#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pimdse::dse::report {

/// Representations of a column in a page; analysis/report reads them. Numbers are little-endian.
/// codes: a sorted list of the distinct values (the bits of each as the difference to the previous one), then the index
/// of each row's value, in 0, 1 or 2 bytes, depending on the number of values. words: the eight bytes of each value.
/// differences: as words, each the difference to the previous one.
/// Bytes are shuffled as in HDF5: the first byte of every number, then the second byte of every number, ...
enum class Coding : std::uint8_t { codes, words, differences };

[[nodiscard]] std::string_view name_of(Coding coding);

struct PackedValues {
    Coding coding = Coding::codes;
    std::size_t rows = 0;
    std::size_t values = 0;   ///< codes: number of distinct values; otherwise 0
    std::size_t numbers = 0;  ///< codes: number of distinct values that are not NaN; they precede the NaNs
    std::string data{};       ///< the bytes, compressed by zlib, in base64
};

/// Columns with more distinct values are stored as words.
inline constexpr std::size_t max_codes = 65536;

/// Every bit is kept, including the sign of zeros and the payload of NaNs.
[[nodiscard]] PackedValues pack_doubles(std::span<double const> values);
/// Indices into a list of `values` entries that is stored elsewhere. Precondition: values <= max_codes.
[[nodiscard]] PackedValues pack_codes(std::span<std::uint32_t const> codes, std::size_t values);
/// Numbers that mostly ascend, as differences.
[[nodiscard]] PackedValues pack_ids(std::span<std::uint64_t const> ids);

/// A text, compressed by zlib, in base64.
[[nodiscard]] std::string pack_text(std::string_view text);

/// Base64 of RFC 4648, with padding.
[[nodiscard]] std::string base64(std::span<std::byte const> bytes);

}  // namespace pimdse::dse::report
