#pragma once

#include "models/upmem/layers.hpp"
#include "models/upmem/work.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::models::upmem {

/// How the cache of `sequences` sequences is distributed in a layer of a kind.
[[nodiscard]] CacheDeal deal_of(AlikeLayers const& kind, std::int64_t sequences, std::int64_t dpus);

/// New positions of sequences in a pass, after those that are cached.
struct NewPositions {
    std::int64_t before = 0, queries = 1;
    std::int64_t sequences = 1;  ///< that are alike
};
/// Passes one after the other that compute as many positions of the same sequences, each `apart` positions behind the
/// one before: 1, or all positions that it computes.
struct PassRun {
    std::vector<NewPositions> first;
    std::int64_t count = 1, apart = 1;

    [[nodiscard]] std::int64_t sequences() const;
    [[nodiscard]] std::int64_t positions() const;  ///< that a pass computes
};
/// `size` passes of a run, behind the first `skipped`.
struct PassGroup {
    std::int64_t skipped = 0, size = 1;
};

/// Number of inputs of a row of the LM head.
[[nodiscard]] std::int64_t head_inputs(LanguageModel const& model);

/// Attention of a pass in one layer: counts in the fullest DPU, operations of the host for all sequences.
struct AttentionLoad {
    std::int64_t rows = 0;     ///< keys that its queries read
    std::int64_t queries = 0;  ///< of all heads
    std::int64_t added = 0;    ///< positions whose keys and values it receives, of all units
    double softmax = 0.0;      ///< scores
    double sums = 0.0;         ///< additions of results of the DPUs of a unit
};
/// The mean load of passes in a layer of a kind; the cache is that of `sequences` sequences.
[[nodiscard]] AttentionLoad attention_load(AlikeLayers const& kind, PassRun const& run, PassGroup const& group,
                                           std::int64_t sequences, std::int64_t dpus);

/// Launches of passes through the layers of a request, with the data that each sends and the work of the host after it.
/// The kernel of the design computes the products.
class PassPlan {
  public:
    PassPlan(Prepared const& prepared, Design const& design);

    /// The matrices of all layers of a kind for `positions` positions of all sequences together.
    void add_products(AlikeLayers const& kind, std::int64_t positions);
    void add_attention(AlikeLayers const& kind, AttentionLoad const& load);
    /// LM head for `positions` positions; the host selects the most likely tokens.
    void add_head(std::int64_t positions);
    [[nodiscard]] Plan plan() && { return std::move(plan_); }

  private:
    void add_product(std::string const& what, std::int64_t rows, std::int64_t inputs, std::int64_t vectors,
                     std::int64_t positions, double count, double host);
    [[nodiscard]] Task row_task(std::int64_t rows, std::int64_t width) const;

    Prepared const& p_;
    Design const& d_;
    Kernel const& k_;
    Plan plan_;
};

}  // namespace pimdse::models::upmem
