#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"
#include "models/dplena/numerics/bulk_sums.hpp"
#include "models/dplena/numerics/row_bounds.hpp"
#include "models/dplena/numerics/synthetic.hpp"
#include "sim/base/bounded.hpp"
#include "sim/base/memo.hpp"

#include <compare>
#include <optional>
#include <vector>

namespace pimdse::models::dplena {

/// How a design's number formats change what is sampled, against the same logits in FP64.
struct Accuracy {
    double argmax_agreement = 0.0;  ///< share of rows with the same arg-max
    double transfer_overlap = 0.0;  ///< Jaccard index of committed positions, mean over blocks
};

/// The same as far as it is known without walks over rows; proved.
struct AccuracyBounds {
    sim::Bounded argmax_agreement, transfer_overlap;
};

/// What of a design decides its accuracy.
struct AccuracyKey {
    Element element = Element::e4m3;
    std::int64_t mx_block = 0;
    Accumulator accumulator = Accumulator::fp32;
    std::int64_t vocab = 0, vlen = 0;
    Passes passes = Passes::two;
    std::int64_t chunk = 0;  ///< of a single pass; with two, the whole vocabulary
    Remasking remasking = Remasking::low_confidence;
    double limit = 0.0;  ///< threshold or factor, whichever the policy has
    auto operator<=>(AccuracyKey const&) const = default;
    [[nodiscard]] static AccuracyKey of(Design const& design);
};

/// What FP64 makes of a synthetic row.
struct TrueRowKey {
    std::int64_t vocabulary = 0, row = 0;
    auto operator<=>(TrueRowKey const&) const = default;
};
struct TrueRow {
    double confidence = 0.0;
    std::int64_t index = 0;
};
/// All rows of a vocabulary without a walk: where they have peaks, and what FP64 makes of them.
struct RowsOfVocabulary {
    std::vector<Peaks> peaks;
    std::vector<std::optional<BoundedRow>> bounds;
};
/// What is remembered of rows whatever the design.
struct RowMemory {
    sim::Memo<TrueRowKey, TrueRow> walked;  ///< of rows that had to be
    sim::Memo<std::int64_t, RowsOfVocabulary> known;
    BulkSums bulks;
};

/// What synthetic rows become in the functional model; remembered. Rows are walked only where bounds of their
/// confidences leave open which positions are committed. Logits behind the last whole vector are dropped, as in the
/// timeline.
class AccuracyProxy {
  public:
    [[nodiscard]] Accuracy of(Design const& design, ProxyConstants const& constants) const;
    /// Without a walk over any row; exact where bounds of rows leave nothing open.
    [[nodiscard]] AccuracyBounds bounds_of(Design const& design, ProxyConstants const& constants) const;
    /// Steps until a block has nothing masked, if its policy may end early: the mean over synthetic blocks, rounded up,
    /// `steps` at most. Positions that stay masked draw a synthetic confidence anew in every step.
    [[nodiscard]] std::int64_t steps_needed(Design const& design, ProxyConstants const& constants) const;

  private:
    sim::Memo<AccuracyKey, Accuracy> accuracies_;
    sim::Memo<AccuracyKey, AccuracyBounds> bounds_;
    RowMemory rows_;
};

}  // namespace pimdse::models::dplena
