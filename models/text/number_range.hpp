#pragma once

#include <cstdint>
#include <string_view>

namespace pimdse::models::text {

/// Values that a number of a machine may have; a point with others cannot be built.
enum class NumberRange : std::uint8_t {
    any,
    not_negative,
    positive,
    share,           ///< above 0, up to 1
    part,            ///< from 0 to 1
    none_or_factor,  ///< 0, or 1 and more
    factor,          ///< 1 and more
};

[[nodiscard]] constexpr bool is_in(NumberRange range, double value) {
    switch (range) {
        case NumberRange::not_negative:
            return value >= 0.0;
        case NumberRange::positive:
            return value > 0.0;
        case NumberRange::share:
            return value > 0.0 && value <= 1.0;
        case NumberRange::part:
            return value >= 0.0 && value <= 1.0;
        case NumberRange::none_or_factor:
            return value == 0.0 || value >= 1.0;
        case NumberRange::factor:
            return value >= 1.0;
        default:
            return true;
    }
}

/// "above 0 and at most 1".
[[nodiscard]] constexpr std::string_view in_words(NumberRange range) {
    switch (range) {
        case NumberRange::not_negative:
            return "0 or more";
        case NumberRange::positive:
            return "above 0";
        case NumberRange::share:
            return "above 0 and at most 1";
        case NumberRange::part:
            return "from 0 to 1";
        case NumberRange::none_or_factor:
            return "0, or 1 and more";
        case NumberRange::factor:
            return "1 or more";
        default:
            return "any number";
    }
}

}  // namespace pimdse::models::text
