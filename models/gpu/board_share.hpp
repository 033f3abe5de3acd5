#pragma once

#include "models/gpu/design.hpp"

#include <cstdint>

namespace pimdse::models::gpu {

/// What the fullest board holds of a model under tensor parallelism, in elements. Query heads, feed-forward widths and
/// the vocabulary are dealt in order and evenly. Keys and values lie where their queries are: a head of them whose
/// queries several boards have is on each of these, with its projections. Norms, positions, routers, projections of the
/// embedding and biases added behind a sum are on every board.
class BoardShare {
  public:
    explicit BoardShare(Design const& design) : model_(*design.model), boards_(design.devices) {}

    /// Heads of keys and values: one at least.
    [[nodiscard]] std::int64_t kv_heads() const;
    /// One copy of a weight matrix of a layer.
    [[nodiscard]] std::int64_t matrix(sim::WeightMatrix const& matrix) const;
    [[nodiscard]] std::int64_t lm_head() const;
    /// Keys and values of one position in one layer.
    [[nodiscard]] std::int64_t cached_position() const { return 2 * kv_width(); }
    /// All parameters; of a single board sim::total_parameters.
    [[nodiscard]] std::int64_t parameters() const;

  private:
    [[nodiscard]] std::int64_t dealt(std::int64_t count) const;
    [[nodiscard]] std::int64_t kv_width() const { return kv_heads() * model_.head_dimension; }
    /// Biases, norms and router.
    [[nodiscard]] std::int64_t beside_matrices() const;

    sim::LanguageModel const& model_;
    std::int64_t boards_;
};

}  // namespace pimdse::models::gpu
