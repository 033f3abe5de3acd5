#include "models/gpu/board_share.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::gpu {

std::int64_t BoardShare::dealt(std::int64_t count) const { return sim::divide_up(count, boards_); }

std::int64_t BoardShare::kv_heads() const {
    std::int64_t const queries = dealt(model_.heads), group = model_.heads / model_.kv_heads;
    std::int64_t fullest = 1;
    for (std::int64_t first = 0; first < model_.heads; first += queries) {
        std::int64_t const last = std::min(first + queries, model_.heads) - 1;
        fullest = std::max(fullest, last / group - first / group + 1);
    }
    return fullest;
}

std::int64_t BoardShare::matrix(sim::WeightMatrix const& m) const {
    if (m.name == "k" || m.name == "v") return m.inputs * kv_width();
    bool const sums_over_boards = m.name == "o" || m.name == "down";
    return sums_over_boards ? dealt(m.inputs) * m.outputs : m.inputs * dealt(m.outputs);
}

std::int64_t BoardShare::lm_head() const {
    return sim::lm_head_weights(model_) / model_.vocabulary * dealt(model_.vocabulary);
}

std::int64_t BoardShare::beside_matrices() const {
    std::int64_t const whole = sim::total_parameters(model_);
    std::int64_t const of_layers = model_.layers * sim::layer_weights(model_);
    std::int64_t rest = whole - of_layers - sim::lm_head_weights(model_) * (model_.tied_embedding ? 1 : 2);
    // Biases of what is dealt are dealt, too.
    if (model_.qkv_bias) {
        std::int64_t const mine = dealt(model_.query_width()) + 2 * kv_width();
        rest -= model_.layers * (model_.query_width() + 2 * model_.kv_width() - mine);
    }
    if (model_.ffn_bias) rest -= model_.layers * (model_.ffn - dealt(model_.ffn)) * (model_.gated ? 2 : 1);
    return rest;
}

std::int64_t BoardShare::parameters() const {
    std::int64_t layer = 0;
    for (auto const& m : sim::layer_matrices(model_)) layer += m.count * matrix(m);
    return model_.layers * layer + lm_head() * (model_.tied_embedding ? 1 : 2) + beside_matrices();
}

}  // namespace pimdse::models::gpu
