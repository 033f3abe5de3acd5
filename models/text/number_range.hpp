#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pimdse::models::text {

/// Values that a number of a machine may have; a point with others cannot be built.
enum class NumberRange : std::uint8_t { any, not_negative, positive, share, part, none_or_factor, factor };

struct RangeRow {
    std::string_view in_words;
    bool (*has)(double value);
};
/// In the order of NumberRange.
inline constexpr std::array<RangeRow, 7> number_ranges{
    {{"any number", [](double) { return true; }},
     {"0 or more", [](double value) { return value >= 0.0; }},
     {"above 0", [](double value) { return value > 0.0; }},
     {"above 0 and at most 1", [](double value) { return value > 0.0 && value <= 1.0; }},
     {"from 0 to 1", [](double value) { return value >= 0.0 && value <= 1.0; }},
     {"0, or 1 and more", [](double value) { return value == 0.0 || value >= 1.0; }},
     {"1 or more", [](double value) { return value >= 1.0; }}}};
[[nodiscard]] constexpr RangeRow const& row_of(NumberRange range) {
    return number_ranges[static_cast<std::size_t>(range)];
}

}  // namespace pimdse::models::text
