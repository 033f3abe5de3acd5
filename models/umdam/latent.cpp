#include "models/umdam/latent.hpp"

namespace pimdse::models::umdam {
namespace {

constexpr auto keys_of_head = "kv_b_k", values_of_head = "kv_b_v";

}  // namespace

AttentionForm expanded_form(LanguageModel const& m) {
    return {m.kv_heads, m.heads / m.kv_heads, m.head_dimension, m.value_size()};
}

AttentionForm absorbed_form(LanguageModel const& m) { return {1, m.heads, m.kv_rank + m.rope_dimension, m.kv_rank}; }

std::vector<WeightMatrix> stored_matrices(LanguageModel const& m) {
    if (!has_latent_attention(m)) return layer_matrices(m);
    std::vector<WeightMatrix> matrices;
    for (auto const& matrix : layer_matrices(m)) {
        if (matrix.name != "kv_b") {
            matrices.push_back(matrix);
            continue;
        }
        std::int64_t const unrotated = m.head_dimension - m.rope_dimension;
        if (unrotated > 0) matrices.push_back({keys_of_head, unrotated, m.kv_rank, m.heads, m.heads});
        matrices.push_back({values_of_head, m.kv_rank, m.value_size(), m.heads, m.heads});
    }
    return matrices;
}

bool of_experts(WeightMatrix const& m) { return m.count > 1 && m.name != keys_of_head && m.name != values_of_head; }

}  // namespace pimdse::models::umdam
