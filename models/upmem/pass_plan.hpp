#pragma once

#include "models/upmem/layers.hpp"
#include "models/upmem/work.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace pimdse::models::upmem {

/// How the cache of `sequences` sequences is distributed in a layer of a kind.
[[nodiscard]] CacheDeal deal_of(AlikeLayers const& kind, std::int64_t sequences, std::int64_t dpus);

/// New positions of sequences in a pass, after those that are cached.
struct NewPositions {
    std::int64_t before = 0, queries = 1;
    std::int64_t sequences = 1;  ///< that are alike
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
/// The load of a pass in a layer of a kind; the cache is that of `sequences` sequences. `count`: the mean of as many
/// passes, of which this is the first.
[[nodiscard]] AttentionLoad attention_load(AlikeLayers const& kind, std::span<NewPositions const> pass,
                                           std::int64_t sequences, std::int64_t dpus, std::int64_t count = 1);

/// Launches of passes through the layers of a request, with the data that each sends and the work of the host after it.
/// The kernel of the design computes the products.
class PassPlan {
  public:
    PassPlan(Prepared const& prepared, Design const& design);

    /// All layers of a kind for `positions` positions of all sequences together, `times` times; nullopt: without
    /// attention.
    void add_layers(AlikeLayers const& kind, std::int64_t positions, double times,
                    std::optional<AttentionLoad> const& attention);
    /// Attention alone.
    void add_attention(AlikeLayers const& kind, AttentionLoad const& load, double times);
    /// LM head for `positions` positions; the host selects the most likely tokens.
    void add_head(std::int64_t positions, double count);
    [[nodiscard]] Plan plan() && { return std::move(plan_); }

  private:
    void add_products(MatrixGroup const& group, std::int64_t positions, double count);
    void add_product(std::string const& what, std::int64_t rows, std::int64_t inputs, std::int64_t vectors,
                     std::int64_t positions, double count, double host);
    [[nodiscard]] Task row_task(std::int64_t rows, std::int64_t width) const;

    Prepared const& p_;
    Design const& d_;
    Kernel const& k_;
    Plan plan_;
};

}  // namespace pimdse::models::upmem
