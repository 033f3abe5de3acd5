#pragma once

#include "models/dplena/design.hpp"
#include "models/dplena/numerics/bulk_sums.hpp"
#include "models/dplena/numerics/synthetic.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace pimdse::models::dplena {

/// Result of Stable-Max for one row of logits.
struct RowResult {
    float confidence = 0.0F;  ///< 1 / sum, BF16: the softmax probability of the arg-max
    float sum = 0.0F;         ///< sum of exp(z - maximum), in the format of the accumulator
    std::int32_t index = 0;   ///< index of the first largest logit
    bool flagged = false;     ///< the row contains a NaN, or only -inf: confidence 0, index 0
    bool operator==(RowResult const&) const = default;
};

/// Parameters of the evaluation of a row: vectors of `vlen` lanes, chunks of `chunk` logits (a multiple of vlen; used
/// with passes = 1 only).
struct RowWalk {
    std::int64_t vlen = 0, chunk = 0;
    Accumulator accumulator = Accumulator::fp32;
    Passes passes = Passes::two;
};

/// BF16 exponential of a BF16 number that is at most 0.
[[nodiscard]] float bf16_exponential(float not_positive);

/// Stable-Max of a row of BF16 logits. The difference to the maximum and its exponential are BF16, as in vector memory;
/// the lanes of a vector are summed exactly and rounded to FP32; the addition to the accumulator rounds to its format.
/// A last vector that is not full is padded with -inf. If there are +inf, the confidence is 1 / their number.
[[nodiscard]] RowResult stable_max(std::span<float const> logits, RowWalk const& walk);

/// Bounds of the result of a row that was not evaluated.
struct BoundedRow {
    Range confidence;
    std::int64_t index = 0;  ///< exact index of the first largest logit
};

/// Bounds of the FP64 confidence of a row of `vocabulary` logits; nullopt if the largest peak may not exceed the bulk.
[[nodiscard]] std::optional<BoundedRow> bound_true_row(ProxyConstants const& constants, Peaks const& peaks,
                                                       BulkRow const& bulk, std::int64_t vocabulary);

/// A row in the functional model: its first `logits` logits, in the format of HBM, and how it is evaluated.
struct SeenRow {
    std::int64_t logits = 0;
    Element element = Element::e4m3;
    std::int64_t mx_block = 0;
    RowWalk walk;
};

/// Bounds of the confidence that stable_max computes (README.md, "Accuracy bounds"); nullopt where the bulk has to be
/// evaluated.
[[nodiscard]] std::optional<BoundedRow> bound_seen_row(ProxyConstants const& constants, SeenRow const& seen,
                                                       Peaks const& peaks, BulkRow const& bulk);

}  // namespace pimdse::models::dplena
