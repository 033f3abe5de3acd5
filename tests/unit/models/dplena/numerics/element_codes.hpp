#pragma once

#include "models/dplena/numerics/formats.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

/// Codes of microscaled elements by the OCP specification.
namespace codes {

using namespace pimdse::models::dplena;

inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float infinity = std::numeric_limits<float>::infinity();

inline float float_value(ElementFormat const& f, unsigned exponent, unsigned mantissa) {
    auto const fraction = static_cast<float>(mantissa) / static_cast<float>(1U << f.mantissa_bits);
    if (exponent == 0) return std::ldexp(fraction, 1 - f.bias);
    return std::ldexp(1.0F + fraction, static_cast<int>(exponent) - f.bias);
}

inline float integer_value(ElementFormat const& f, std::uint8_t code, int bits) {
    auto const sign_bit = 1 << (bits - 1);
    auto const whole = (code & (sign_bit - 1)) - (code & sign_bit);
    return static_cast<float>(whole) / static_cast<float>(1 << f.mantissa_bits);
}

/// The value of a code of the format (its low bits); NaN and infinity where the format has them.
inline float element_value(Element element, std::uint8_t code) {
    auto const f = format_of(element);
    if (element == Element::int8) return integer_value(f, code, 8);
    if (element == Element::int4) return integer_value(f, code, 4);
    auto const mantissa = code & ((1U << f.mantissa_bits) - 1);
    auto const exponent = static_cast<unsigned>(code >> f.mantissa_bits) & ((1U << f.exponent_bits) - 1);
    bool const negative = (code >> (f.mantissa_bits + f.exponent_bits) & 1U) != 0;
    if (element == Element::e4m3 && exponent == 15 && mantissa == 7) return nan;
    if (element == Element::e5m2 && exponent == 31) return mantissa != 0 ? nan : negative ? -infinity : infinity;
    auto const magnitude = float_value(f, exponent, mantissa);
    return negative ? -magnitude : magnitude;
}

/// 2^(code - 127), NaN for 255.
inline float scale_value(std::uint8_t code) {
    return code == 255 ? nan : std::ldexp(1.0F, static_cast<int>(code) - 127);
}

}  // namespace codes
