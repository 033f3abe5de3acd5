#pragma once

#include "models/dplena/numerics/bulk_sums.hpp"
#include "models/dplena/numerics/stable_max.hpp"
#include "models/dplena/numerics/synthetic.hpp"

#include <optional>

namespace pimdse::models::dplena {

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

/// The confidence that stable_max finds (README.md, "Accuracy without a walk"). Nothing where that cannot be told
/// without looking at the bulk.
[[nodiscard]] std::optional<BoundedRow> bound_seen_row(ProxyConstants const& constants, SeenRow const& seen,
                                                       Peaks const& peaks, BulkRow const& bulk);

}  // namespace pimdse::models::dplena
