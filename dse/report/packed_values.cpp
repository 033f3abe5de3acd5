#include "dse/report/packed_values.hpp"

#include "sim/base/check.hpp"

#include <zlib.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace pimdse::dse::report {
namespace {

using Bytes = std::vector<std::byte>;

constexpr int compression_level = 6;
constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
/// Of minus infinity, which NaNs with a sign come before: without it, they come last.
constexpr std::uint64_t rank_of_infinity = ~std::bit_cast<std::uint64_t>(-std::numeric_limits<double>::infinity());

/// Appends byte 0 of every number, then byte 1 of every number, ... up to `width` bytes.
template <class Number>
void append_shuffled(Bytes& bytes, std::span<Number const> numbers, std::size_t width) {
    for (std::size_t b = 0; b < width; ++b) {
        for (auto const number : numbers) bytes.push_back(static_cast<std::byte>(number >> (8 * b)));
    }
}

Bytes compressed(Bytes const& bytes) {
    auto size = ::compressBound(bytes.size());
    Bytes smaller(size);
    auto const* from = reinterpret_cast<Bytef const*>(bytes.data());
    auto* into = reinterpret_cast<Bytef*>(smaller.data());
    sim::ensures(::compress2(into, &size, from, bytes.size(), compression_level) == Z_OK,
                 "a buffer of compressBound() bytes holds the compressed bytes");
    smaller.resize(size);
    return smaller;
}

/// Bits of a double as an integer that ascends with the number: negative zero before positive zero, NaNs last.
std::uint64_t ascending(std::uint64_t bits) {
    return ((bits & sign_bit) != 0 ? ~bits : bits | sign_bit) - rank_of_infinity;
}

/// The bits of which this is the ascending integer.
std::uint64_t bits_of(std::uint64_t ascending) {
    auto const rank = ascending + rank_of_infinity;
    return (rank & sign_bit) != 0 ? rank ^ sign_bit : ~rank;
}

/// The first word, then the difference of every word to the previous one, modulo 2^64.
std::vector<std::uint64_t> steps_of(std::span<std::uint64_t const> words) {
    std::vector<std::uint64_t> steps(words.begin(), words.end());
    for (std::size_t i = steps.size(); i > 1; --i) steps[i - 1] -= steps[i - 2];
    return steps;
}

std::size_t code_width(std::size_t values) {
    if (values <= 1) return 0;
    return values <= 256 ? 1 : 2;
}

PackedValues packed_words(Coding coding, std::span<std::uint64_t const> words) {
    Bytes bytes;
    bytes.reserve(words.size() * sizeof(std::uint64_t));
    append_shuffled(bytes, words, sizeof(std::uint64_t));
    return {.coding = coding, .rows = words.size(), .data = base64(compressed(bytes))};
}

}  // namespace

std::string_view name_of(Coding coding) {
    constexpr std::array<std::string_view, 3> names{"codes", "words", "differences"};
    return names[static_cast<std::size_t>(coding)];
}

PackedValues pack_doubles(std::span<double const> values) {
    std::vector<std::uint64_t> words(values.size());
    std::ranges::transform(values, words.begin(),
                           [](double value) { return ascending(std::bit_cast<std::uint64_t>(value)); });
    auto list = words;
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (list.size() > max_codes) {
        std::ranges::transform(words, words.begin(), bits_of);
        return packed_words(Coding::words, words);
    }
    std::vector<std::uint32_t> codes(words.size());
    std::ranges::transform(words, codes.begin(), [&](std::uint64_t word) {
        return static_cast<std::uint32_t>(std::ranges::lower_bound(list, word) - list.begin());
    });
    std::ranges::transform(list, list.begin(), bits_of);
    Bytes bytes;
    append_shuffled(bytes, std::span<std::uint64_t const>(steps_of(list)), sizeof(std::uint64_t));
    append_shuffled(bytes, std::span<std::uint32_t const>(codes), code_width(list.size()));
    auto const numbers =
        std::ranges::count_if(list, [](std::uint64_t word) { return !std::isnan(std::bit_cast<double>(word)); });
    return {.coding = Coding::codes,
            .rows = words.size(),
            .values = list.size(),
            .numbers = static_cast<std::size_t>(numbers),
            .data = base64(compressed(bytes))};
}

PackedValues pack_codes(std::span<std::uint32_t const> codes, std::size_t values) {
    sim::expects(values <= max_codes, "codes fit into two bytes");
    Bytes bytes;
    append_shuffled(bytes, codes, code_width(values));
    return {.coding = Coding::codes,
            .rows = codes.size(),
            .values = values,
            .numbers = values,
            .data = base64(compressed(bytes))};
}

PackedValues pack_ids(std::span<std::uint64_t const> ids) { return packed_words(Coding::differences, steps_of(ids)); }

std::string pack_text(std::string_view text) {
    auto const bytes = std::as_bytes(std::span(text));
    return base64(compressed(Bytes(bytes.begin(), bytes.end())));
}

std::string base64(std::span<std::byte const> bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        std::size_t const have = std::min<std::size_t>(3, bytes.size() - i);
        for (std::size_t b = 0; b < have; ++b) group |= std::to_integer<std::uint32_t>(bytes[i + b]) << (16 - 8 * b);
        // n bytes give n + 1 digits; the rest is padding.
        for (std::size_t d = 0; d < 4; ++d) text += d <= have ? digits[group >> (18 - 6 * d) & 63] : '=';
    }
    return text;
}

}  // namespace pimdse::dse::report
