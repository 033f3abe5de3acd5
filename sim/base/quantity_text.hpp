#pragma once

#include "sim/base/decimal.hpp"
#include "sim/base/units.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pimdse::sim {

/// Exponents of a unit at run time; the counterpart of the template arguments of Quantity, and beyond them money (USD)
/// and mass (kg).
struct Dimension {
    std::int8_t second = 0, joule = 0, byte = 0, metre = 0, operation = 0, money = 0, mass = 0;
    constexpr bool operator==(Dimension const&) const = default;
    [[nodiscard]] constexpr bool is_number() const { return *this == Dimension{}; }
};

template <int S, int J, int B, int M, int F>
constexpr Dimension dimension_of(Quantity<S, J, B, M, F>) {
    return {.second = S, .joule = J, .byte = B, .metre = M, .operation = F};
}

/// Dimension of a * b^times (`times` is small). Throws InputError if an exponent leaves -16..16.
[[nodiscard]] Dimension combined(Dimension a, Dimension b, int times);

/// A unit as written: its dimension and its size in SI (bytes for data). "cycles", "tokens", "elements" and "1" are
/// plain numbers.
struct Unit {
    Dimension dimension;
    double in_si = 1.0;
    /// The same, exact: in_si is the nearest double of exact / parts. parts 0: not known exactly.
    Decimal exact{1, 0};
    std::int64_t parts = 1;
};

/// `number` of a unit in SI: the double nearest to the decimal that one writes, so that 100 ns are 0.1 us.
[[nodiscard]] double in_si(double number, Unit const& unit);

/// A value read from text, with its dimension; `si` is in SI.
struct AnyQuantity {
    double si = 0.0;
    Dimension dimension;
};

/// Parses a unit such as "GB/s", "pJ/bit", "mm2", "TFLOP/s"; b is a bit, B a byte. Throws InputError that names the
/// unknown part, and for a prefix that is not in use with a unit: "mB", "Ms", "KB" (1000 or 1024).
[[nodiscard]] Unit parse_unit(std::string_view text);

/// Parses "614.4 GB/s", "4 ns", "32". Throws InputError if the text is not a number with a known unit.
[[nodiscard]] AnyQuantity parse_quantity(std::string_view text);

/// A number with at most `digits` significant digits, without an exponent from 1e-4 to 1e15: "80000", "0.002".
[[nodiscard]] std::string print_number(double value, int digits = 4);

/// Prints an SI value in the most readable multiple of its unit with at most `digits` significant digits: "47.9 GB/s".
/// `unit` is the SI unit as written in tables ("s", "B/s", "J", "W", "m2", "B", "USD", "kg", "tokens"; others are
/// printed as they are).
[[nodiscard]] std::string print_quantity(double si, std::string_view unit, int digits = 4);

/// SI unit of a dimension: "s", "B/s", "Hz or 1/s", "1/J"; "1" for a plain number.
[[nodiscard]] std::string unit_of(Dimension dimension);

/// Name of a dimension for messages: "time", "bandwidth", "data", "energy", or "quantity in 1/J".
[[nodiscard]] std::string dimension_name(Dimension dimension);

/// The same with its article: "a time", "an energy", "data".
[[nodiscard]] std::string a_dimension(Dimension dimension);

/// Message that quantities of two dimensions cannot be `done`: "compared", "added", ...
[[nodiscard]] std::string units_differ(Dimension a, Dimension b, std::string_view done);

/// A number that begins a text and contains commas, as it may be meant: "250.5 MHz" for "250,5 MHz", "1024 MHz" for
/// "1,024 MHz" (three digits behind a comma are thousands); nullopt for every other text, and for lists: "1,5,6".
[[nodiscard]] std::optional<std::string> without_commas(std::string_view text);

/// "has a comma (...). Write \"250.5 MHz\"?", a message without its subject; "" if the text has no such number.
[[nodiscard]] std::string comma_mistake(std::string_view text);

/// ". Write \"250.5 MHz\" (...)?", the end of another message; "" if the text has no such number.
[[nodiscard]] std::string hint_for_comma(std::string_view text);

}  // namespace pimdse::sim
