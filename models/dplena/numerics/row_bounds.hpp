#pragma once

#include "models/dplena/design.hpp"
#include "models/dplena/numerics/bulk_sums.hpp"
#include "models/dplena/numerics/synthetic.hpp"

#include <cstdint>
#include <optional>
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

/// Stable-Max of a row of BF16 logits. The difference to the maximum and its exponential are BF16, as vector memory is;
/// the lanes of a vector are summed exactly and rounded to FP32; the addition to the accumulator rounds to its format.
/// A last vector that is not full is padded with -inf. Any +inf: the confidence is one over their number.
[[nodiscard]] RowResult stable_max(std::span<float const> logits, RowWalk const& walk);

/// What is known of a row without a walk over it.
struct BoundedRow {
    Range confidence;
    std::int64_t index = 0;  ///< of the first largest logit, exactly
};

/// FP64's confidence of a row of `vocabulary` logits. Nothing where the peaks may not be above the bulk.
[[nodiscard]] std::optional<BoundedRow> bound_true_row(ProxyConstants const& constants, Peaks const& peaks,
                                                       BulkRow const& bulk, std::int64_t vocabulary);

/// How the functional model sees a row: its first `logits`, through HBM, walked.
struct SeenRow {
    std::int64_t logits = 0;
    Element element = Element::e4m3;
    std::int64_t mx_block = 0;
    RowWalk walk;
};

/// The confidence that stable_max finds (README.md, "Accuracy bounds"). Nothing where that cannot be told
/// without looking at the bulk.
[[nodiscard]] std::optional<BoundedRow> bound_seen_row(ProxyConstants const& constants, SeenRow const& seen,
                                                       Peaks const& peaks, BulkRow const& bulk);

}  // namespace pimdse::models::dplena
