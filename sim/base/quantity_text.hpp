#pragma once

#include "sim/base/units.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pimdse::sim {

/// The exponents of a unit at run time; the counterpart of Quantity's template arguments.
struct Dimension {
    std::int8_t second = 0, joule = 0, byte = 0, metre = 0, operation = 0;
    constexpr bool operator==(Dimension const&) const = default;
    [[nodiscard]] constexpr bool is_number() const { return *this == Dimension{}; }
};

template <int S, int J, int B, int M, int F>
constexpr Dimension dimension_of(Quantity<S, J, B, M, F>) {
    return {S, J, B, M, F};
}

/// The dimension of a times b to the power of `times` (small). Throws InputError where an exponent leaves -16..16.
[[nodiscard]] Dimension combined(Dimension a, Dimension b, int times);

/// A unit as written: its dimension and what one of it is in SI (bytes for data). "cycles", "tokens", "elements" and
/// "1" are plain numbers.
struct Unit {
    Dimension dimension;
    double in_si = 1.0;
};

/// A value read from text together with its dimension; `si` is in SI.
struct AnyQuantity {
    double si = 0.0;
    Dimension dimension;
};

/// Reads a unit such as "GB/s", "pJ/bit", "mm2", "TFLOP/s". Throws InputError naming the unknown part.
[[nodiscard]] Unit parse_unit(std::string_view text);

/// Reads "614.4 GB/s", "4 ns", "32". Throws InputError in one sentence when it is not a number with a known unit.
[[nodiscard]] AnyQuantity parse_quantity(std::string_view text);

/// Prints an SI value in the most readable multiple of its unit with at most `digits` significant digits: "47.9 GB/s".
/// `unit` is the SI unit as written in tables ("s", "B/s", "J", "W", "m2", "B", "tokens"; others are printed as they
/// are).
[[nodiscard]] std::string print_quantity(double si, std::string_view unit, int digits = 4);

/// A unit for it, as one would write it: "s", "B/s", "Hz or 1/s", "1/J"; "1" of a plain number.
[[nodiscard]] std::string unit_of(Dimension dimension);

/// What a dimension measures, in a word for messages: "time", "bandwidth", "data", "energy", or "quantity in 1/J".
[[nodiscard]] std::string dimension_name(Dimension dimension);

/// The same in a sentence: "a time", "an energy", "data".
[[nodiscard]] std::string a_dimension(Dimension dimension);

/// Why quantities of two dimensions cannot be "compared", "added", ...
[[nodiscard]] std::string units_differ(Dimension a, Dimension b, std::string_view done);

/// "250.5 MHz" of "250,5 MHz"; nothing where a text does not begin with a number that has a decimal comma.
[[nodiscard]] std::optional<std::string> with_decimal_point(std::string_view text);

/// ". Write \"250.5 MHz\" (numbers have a decimal point)?", a part of a message; "" where there is no decimal comma.
[[nodiscard]] std::string point_for_comma(std::string_view text);

}  // namespace pimdse::sim
