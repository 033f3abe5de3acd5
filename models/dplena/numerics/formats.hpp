#pragma once

#include "models/dplena/design.hpp"

#include <cstdint>
#include <limits>
#include <span>

namespace pimdse::models::dplena {

inline constexpr float infinity = std::numeric_limits<float>::infinity();

/// Nearest BF16 or IEEE half, ties to even. Half overflows to infinity and has subnormals.
[[nodiscard]] float to_bf16(float value);
[[nodiscard]] float to_fp16(float value);
/// The value rounded to the format of the accumulator.
[[nodiscard]] float rounded(Accumulator format, float value);

/// Format of a microscaled element: sign, exponent and mantissa, or a two's complement fraction. e4m3 and e5m2 are
/// those of OCP (448 and 57,344 are their largest values, e4m3 has no infinity), e2m1 and e3m4 have neither infinity
/// nor NaN, the unit of int8 is 1/64, that of int4 is 1/4; bf16 is not scaled.
struct ElementFormat {
    int exponent_bits = 0;  ///< 0: an integer
    int mantissa_bits = 0;  ///< fraction bits of an integer
    int bias = 0;
    float largest = 0.0F;

    /// Nearest value of the format, ties to even; values beyond the range are clipped.
    [[nodiscard]] float nearest(float value) const;
};
[[nodiscard]] ElementFormat format_of(Element element);

/// The effect of the HBM format on values that are fetched into vector memory: every block of `block` values is scaled,
/// rounded to the format, scaled back and rounded to BF16. Infinities and NaN are unchanged. In place; `values` may end
/// within a block.
void through_hbm(std::span<float> values, Element element, std::int64_t block);

}  // namespace pimdse::models::dplena
