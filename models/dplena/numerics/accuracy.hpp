#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"
#include "models/dplena/numerics/bulk_sums.hpp"
#include "models/dplena/numerics/row_bounds.hpp"
#include "models/dplena/numerics/synthetic.hpp"
#include "sim/base/bounded.hpp"
#include "sim/base/memo.hpp"

#include <compare>
#include <memory>
#include <optional>
#include <vector>

namespace pimdse::models::dplena {

/// Effect of the number formats of a design on the sampling, compared with the same logits in FP64.
struct Accuracy {
    double argmax_agreement = 0.0;  ///< share of rows with the same arg-max
    double transfer_overlap = 0.0;  ///< Jaccard index of committed positions, mean over blocks
};

/// Proved bounds of Accuracy from bounds of rows, without evaluating any row.
struct AccuracyBounds {
    sim::Bounded argmax_agreement, transfer_overlap;
};

/// The properties of a design on which its accuracy depends.
struct AccuracyKey {
    Element element = Element::e4m3;
    std::int64_t mx_block = 0;
    Accumulator accumulator = Accumulator::fp32;
    std::int64_t vocab = 0, vlen = 0;
    Passes passes = Passes::two;
    std::int64_t chunk = 0;  ///< with passes = 1; with two passes the whole vocabulary
    Remasking remasking = Remasking::low_confidence;
    double limit = 0.0;        ///< threshold or factor of the policy
    double temperature = 0.0;  ///< above 0: tokens are drawn
    auto operator<=>(AccuracyKey const&) const = default;
    [[nodiscard]] static AccuracyKey of(Design const& design);
};

/// Identifies a synthetic row, and the temperature at which a token is drawn from it (0: the most likely one).
struct TrueRowKey {
    std::int64_t vocabulary = 0, row = 0;
    double temperature = 0.0;
    auto operator<=>(TrueRowKey const&) const = default;
};
/// Token of a synthetic row and its confidence in FP64.
struct TrueRow {
    double confidence = 0.0;
    std::int64_t index = 0;
};
/// The peaks of all rows of a vocabulary, and bounds of their confidences in FP64.
struct RowsOfVocabulary {
    std::vector<Peaks> peaks;
    std::vector<std::optional<BoundedRow>> bounds;
};
/// Caches of rows that do not depend on the design.
struct RowMemory {
    sim::Memo<TrueRowKey, TrueRow> walked;  ///< rows that were evaluated element by element
    sim::Memo<std::int64_t, RowsOfVocabulary> known;
    BulkSums bulks;
};

/// The accuracy proxy: synthetic rows in the functional model, compared with FP64. Results are cached. A row is
/// evaluated element by element ("walked") only where bounds of the confidences do not decide which positions are
/// committed, and at a temperature above 0, where both sides draw with the same noise. Logits after the last whole
/// vector are dropped, as in the timeline.
class AccuracyProxy {
  public:
    [[nodiscard]] Accuracy of(Design const& design, ProxyConstants const& constants) const;
    /// Bounds, without walking any row; exact where bounds of rows decide everything. At a temperature above 0 they are
    /// 0 and 1, around the estimate for the most likely tokens.
    [[nodiscard]] AccuracyBounds bounds_of(Design const& design, ProxyConstants const& constants) const;
    /// Number of steps until no position of a block is masked, if the policy may end early: the mean over synthetic
    /// blocks, rounded up, at most `steps`. Masked positions draw a new synthetic confidence in every step, at
    /// a temperature above 0 that of a drawn token (synthetic_draw).
    [[nodiscard]] std::int64_t steps_needed(Design const& design, ProxyConstants const& constants) const;

  private:
    sim::Memo<AccuracyKey, Accuracy> accuracies_;
    sim::Memo<AccuracyKey, AccuracyBounds> bounds_;
    RowMemory rows_;
};

/// The proxy of all machines with these constants: draws of other constants and machines side by side fill its caches
/// together.
[[nodiscard]] std::shared_ptr<AccuracyProxy const> shared_proxy(ProxyConstants const& constants);

}  // namespace pimdse::models::dplena
