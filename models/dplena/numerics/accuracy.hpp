#pragma once

#include "models/dplena/numerics/stable_max.hpp"
#include "models/dplena/numerics/transfer.hpp"
#include "sim/base/memo.hpp"

#include <array>
#include <vector>

namespace pimdse::models::dplena {

/// Distribution of the synthetic logits (constants.toml): per row a bulk, a peak and a runner-up at seeded places.
struct ProxyConstants {
    std::uint64_t seed = 0;
    std::int64_t blocks = 0, block_length = 0, transfers = 0;
    double bulk_spread = 0.0, peak_low = 0.0, peak_high = 0.0, gap = 0.0;
};

/// Logits of row `row` of the synthetic blocks.
void synthetic_row(ProxyConstants const& constants, std::int64_t row, std::span<float> logits);

/// How a design's number formats change what is sampled, against the same logits in FP64.
struct Accuracy {
    double argmax_agreement = 0.0;  ///< share of rows with the same arg-max
    double transfer_overlap = 0.0;  ///< Jaccard index of committed positions, mean over blocks
};

/// Runs synthetic rows through the functional model; remembered per element format, block, accumulator, vocabulary and
/// walk. Logits behind the last whole vector are dropped, as in the timeline.
class AccuracyProxy {
  public:
    [[nodiscard]] Accuracy of(Design const& design, ProxyConstants const& constants) const;

  private:
    struct Truth {
        std::vector<std::int32_t> index;
        std::vector<Flags> transfer;  ///< by block
    };
    using Key = std::array<std::int64_t, 6>;
    sim::Memo<Key, Accuracy> accuracies_;
    sim::Memo<std::int64_t, Truth> truths_;
    [[nodiscard]] static Truth truth_of(ProxyConstants const& constants, std::int64_t vocabulary);
};

}  // namespace pimdse::models::dplena
