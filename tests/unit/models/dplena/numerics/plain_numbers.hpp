#pragma once

#include "models/dplena/design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

/// Number formats by their definition, one value at a time.
namespace plain {

using pimdse::models::dplena::Accumulator;

inline constexpr float inf = std::numeric_limits<float>::infinity();

/// Nearest multiple of 2^step by definition, ties to the even multiple.
inline double plain_nearest(double x, int step) {
    double const unit = std::ldexp(1.0, step);
    double const down = std::floor(x / unit);
    double const rest = x / unit - down;
    double const chosen = rest < 0.5 || (rest == 0.5 && std::fmod(down, 2.0) == 0.0) ? down : down + 1.0;
    return chosen * unit;
}

inline float plain_float(float x, int mantissa_bits, int min_exponent, double largest) {
    if (!std::isfinite(x) || x == 0.0F) return x;
    int const step = std::max(std::ilogb(static_cast<double>(x)), min_exponent) - mantissa_bits;
    double const y = plain_nearest(static_cast<double>(x), step);
    if (std::fabs(y) > largest) return std::copysign(inf, x);
    return static_cast<float>(y);
}
inline float plain_bf16(float x) { return plain_float(x, 7, -126, 3.3895313892515355e38); }
inline float plain_fp16(float x) { return plain_float(x, 10, -14, 65504.0); }
inline float plain_rounded(Accumulator a, float x) {
    return a == Accumulator::fp32 ? x : a == Accumulator::bf16 ? plain_bf16(x) : plain_fp16(x);
}

}  // namespace plain
