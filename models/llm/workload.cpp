#include "models/llm/workload.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models {
namespace {

std::int64_t norm_parameters(LanguageModel const& m) { return m.hidden * (m.layer_norm ? 2 : 1); }

std::int64_t layer_biases(LanguageModel const& m) {
    std::int64_t biases = 0;
    if (m.qkv_bias) biases += m.query_width() + 2 * m.kv_width();
    if (m.output_bias) biases += m.hidden;
    if (m.ffn_bias) biases += m.ffn * (m.gated ? 2 : 1) + m.hidden;
    return biases;
}

/// True for OPT-350M: its embedding is narrower than the model, so two matrices lead in and out, and it has no final
/// norm.
bool projected(LanguageModel const& m) { return m.embedding_projection != 0 && m.embedding_projection != m.hidden; }

std::int64_t embedding_width(LanguageModel const& m) { return projected(m) ? m.embedding_projection : m.hidden; }

/// OPT stores two more positions than its context length (an offset of its position table).
std::int64_t position_parameters(LanguageModel const& m) {
    return m.learned_positions ? (m.maximum_context + 2) * m.hidden : 0;
}

void add_ffn(LanguageModel const& m, std::int64_t width, std::int64_t count, std::int64_t active,
             std::vector<WeightMatrix>& into) {
    if (m.gated) into.push_back({"gate", m.hidden, width, count, active});
    into.push_back({"up", m.hidden, width, count, active});
    into.push_back({"down", width, m.hidden, count, active});
}

}  // namespace

std::vector<WeightMatrix> layer_matrices(LanguageModel const& m) {
    std::vector<WeightMatrix> matrices{{"q", m.hidden, m.query_width()},
                                       {"k", m.hidden, m.kv_width()},
                                       {"v", m.hidden, m.kv_width()},
                                       {"o", m.query_width(), m.hidden}};
    if (m.ffn > 0) add_ffn(m, m.ffn, 1, 1, matrices);
    if (m.experts > 0) add_ffn(m, m.expert_ffn, m.experts, m.experts_active, matrices);
    return matrices;
}

std::int64_t layer_weights(LanguageModel const& m, Experts experts) {
    std::int64_t weights = 0;
    for (auto const& matrix : layer_matrices(m)) {
        weights += matrix.inputs * matrix.outputs * (experts == Experts::all ? matrix.count : matrix.active);
    }
    return weights;
}

double touched_experts(LanguageModel const& m, double tokens) {
    auto const experts = static_cast<double>(m.experts), active = static_cast<double>(m.experts_active);
    double const touched = experts * (1.0 - std::pow(1.0 - active / experts, tokens));
    return tokens <= 1.0 ? tokens * active : std::min(touched, tokens * active);
}

double touched_copies(LanguageModel const& m, WeightMatrix const& matrix, double tokens) {
    return matrix.count > 1 ? touched_experts(m, tokens) : 1.0;
}

std::int64_t lm_head_weights(LanguageModel const& m) { return embedding_width(m) * m.vocabulary; }

std::int64_t total_parameters(LanguageModel const& m) {
    std::int64_t const router = m.experts * m.hidden;
    std::int64_t const per_layer =
        layer_weights(m) + layer_biases(m) + 2 * norm_parameters(m) + router + m.other_layer_parameters;
    std::int64_t const tables = lm_head_weights(m) * (m.tied_embedding ? 1 : 2);
    std::int64_t const ends = projected(m) ? 2 * m.embedding_projection * m.hidden : norm_parameters(m);
    return m.layers * per_layer + tables + ends + position_parameters(m);
}

std::int64_t kv_elements_per_token(LanguageModel const& m) { return 2 * m.kv_width(); }

}  // namespace pimdse::models
