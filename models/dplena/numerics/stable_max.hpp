#pragma once

#include "models/dplena/design.hpp"

#include <cstdint>
#include <span>

namespace pimdse::models::dplena {

/// What the vector unit makes of one row of logits.
struct RowResult {
    float confidence = 0.0F;  ///< 1 / sum, BF16: the softmax probability of the arg-max
    float sum = 0.0F;         ///< of exp(z - maximum), in the accumulator's format
    std::int32_t index = 0;   ///< of the first largest logit
    bool flagged = false;     ///< a NaN, or nothing but -inf: confidence 0, index 0
    bool operator==(RowResult const&) const = default;
};

/// How a row is walked: vectors of `vlen` lanes, chunks of `chunk` logits (a multiple of vlen; only the online form
/// sees it).
struct RowWalk {
    std::int64_t vlen = 0, chunk = 0;
    Accumulator accumulator = Accumulator::fp32;
    Passes passes = Passes::two;
};

/// BF16 exponential of a BF16 number that is not positive.
[[nodiscard]] float bf16_exponential(float not_positive);

/// Stable-Max of a row of BF16 logits. The difference to the maximum and its exponential are BF16, as vector memory is;
/// the lanes of a vector are summed exactly and rounded to FP32; the addition to the accumulator rounds to its format.
/// A last vector that is not full is padded with -inf. Any +inf: the confidence is one over their number.
[[nodiscard]] RowResult stable_max(std::span<float const> logits, RowWalk const& walk);

}  // namespace pimdse::models::dplena
