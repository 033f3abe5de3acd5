#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pimdse::dse::report {

/// How a page has the values of a column. codes: a sorted list of the distinct values (the bits of each less those of
/// the one before) and for each row its place there, in as few bytes as places need (none where there is one value);
/// words: the eight bytes of each value; differences: words, each less the one before; formula: other columns say it,
/// but for the last bits, of which there is a signed byte per row, or nothing where all are right. Bytes stand as in a
/// shuffled data set of HDF5: the first of every number, then the second of every number.
enum class Coding : std::uint8_t { codes, words, differences };

[[nodiscard]] std::string_view name_of(Coding coding);

struct PackedValues {
    Coding coding = Coding::codes;
    std::size_t rows = 0;
    std::size_t values = 0;   ///< distinct ones, where there are codes
    std::size_t numbers = 0;  ///< of these so many are numbers, which come before all that are not
    std::string data;         ///< base64 of zlib of the list of values, then the codes; or of the words
};

/// With more distinct values than this a column has words.
inline constexpr std::size_t max_codes = 65536;

/// Every bit is kept, that of a zero's sign and those of NaNs included.
[[nodiscard]] PackedValues pack_doubles(std::span<double const> values);
/// Places in a list of `values` entries that stands elsewhere. Precondition: at most max_codes.
[[nodiscard]] PackedValues pack_codes(std::span<std::uint32_t const> codes, std::size_t values);
/// Numbers that mostly ascend.
[[nodiscard]] PackedValues pack_ids(std::span<std::uint64_t const> ids);

/// base64 of zlib of a text.
[[nodiscard]] std::string pack_text(std::string_view text);

/// As RFC 4648 has it, padded.
[[nodiscard]] std::string base64(std::span<std::byte const> bytes);

}  // namespace pimdse::dse::report
