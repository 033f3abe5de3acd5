#pragma once

#include "sim/base/check.hpp"

#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace pimdse::sim {

/// `n` as a double: exact up to 2^53.
[[nodiscard]] constexpr double as_double(std::int64_t n) { return static_cast<double>(n); }

/// Number of parts of size `part` that hold `whole`: the quotient rounded up. Precondition: whole >= 0, part >= 1.
[[nodiscard]] constexpr std::int64_t divide_up(std::int64_t whole, std::int64_t part) {
    return whole / part + (whole % part != 0 ? 1 : 0);
}

/// The smallest multiple of `step` that is at least `whole`. Precondition: whole >= 0, step >= 1.
[[nodiscard]] constexpr std::int64_t round_up(std::int64_t whole, std::int64_t step) {
    return divide_up(whole, step) * step;
}

/// `value` as a whole number; nullopt for a fraction, NaN, an infinity, and a value out of the range of `Whole`.
template <std::integral Whole = std::int64_t>
[[nodiscard]] inline std::optional<Whole> exact_whole(double value) {
    // Both limits are powers of two or zero, so they are exact as doubles.
    constexpr double min = static_cast<double>(std::numeric_limits<Whole>::min());
    double const beyond = std::ldexp(1.0, std::numeric_limits<Whole>::digits);
    if (!(value >= min && value < beyond) || value != std::trunc(value)) return std::nullopt;
    return static_cast<Whole>(value);
}

/// Whole part of a computed count (truncated). Throws InputError if 64 bits cannot hold it, or for NaN.
[[nodiscard]] std::int64_t whole_part(double value);

/// Number of orderings of `n` things. Precondition: n <= 20, because 21! exceeds 64 bits.
[[nodiscard]] inline std::uint64_t factorial(std::size_t n) {
    expects(n <= 20, "a factorial fits 64 bits");
    std::uint64_t product = 1;
    for (std::size_t i = 2; i <= n; ++i) product *= i;
    return product;
}

/// 2^exponent, exactly, at the cost of a shift. Precondition: it is a normal double (exponent -1022 to 1023).
[[nodiscard]] inline double power_of_two(int exponent) {
    using Double = std::numeric_limits<double>;
    static_assert(Double::is_iec559);
    expects(exponent >= Double::min_exponent - 1 && exponent < Double::max_exponent,
            "the power of two is a normal double");
    auto const biased = static_cast<std::uint64_t>(exponent + Double::max_exponent - 1);
    return std::bit_cast<double>(biased << static_cast<unsigned>(Double::digits - 1));
}

}  // namespace pimdse::sim
