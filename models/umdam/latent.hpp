#pragma once

#include "models/llm/workload.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::models::umdam {

// Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434): one vector of kv_rank + rope_dimension elements per
// position stands for the keys and values of all heads.

[[nodiscard]] inline bool has_latent_attention(LanguageModel const& model) { return model.kv_rank > 0; }

/// Shapes of the products of queries with keys and of weights with values.
struct AttentionForm {
    std::int64_t kv_heads = 1;  ///< keys and values that differ
    std::int64_t group = 1;     ///< queries of a position that share them
    std::int64_t key_width = 0, value_width = 0;

    [[nodiscard]] std::int64_t heads() const { return kv_heads * group; }
    /// Multiply-accumulates for each pair of a position and one to which it attends.
    [[nodiscard]] std::int64_t multiplications() const { return heads() * (key_width + value_width); }
};

/// Every head has its own dimension of keys and values, as in attention that is not latent.
[[nodiscard]] AttentionForm expanded_form(LanguageModel const& model);
/// All heads share the cached vectors: queries and weighted sums are multiplied by the matrices that would expand them.
/// Precondition: latent attention.
[[nodiscard]] AttentionForm absorbed_form(LanguageModel const& model);

/// The matrices of a layer as they are stored: layer_matrices, with two for each head in place of kv_b. kv_b_k leads
/// from a query to a query for cached vectors, kv_b_v from a sum of these to a sum of values; together they have the
/// weights of kv_b.
[[nodiscard]] std::vector<WeightMatrix> stored_matrices(LanguageModel const& alike);

/// Whether a layer has several of this matrix, among which tokens choose.
[[nodiscard]] bool of_experts(WeightMatrix const& matrix);

}  // namespace pimdse::models::umdam
