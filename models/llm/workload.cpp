#include "models/llm/workload.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

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

/// Biases of the matrices of one expert.
std::int64_t expert_biases(LanguageModel const& m) {
    return m.expert_bias ? m.expert_ffn * (m.gated ? 2 : 1) + m.hidden : 0;
}

void add_ffn(LanguageModel const& m, std::int64_t width, std::int64_t count, std::int64_t active,
             std::vector<WeightMatrix>& into) {
    if (m.gated) into.push_back({"gate", m.hidden, width, count, active});
    into.push_back({"up", m.hidden, width, count, active});
    into.push_back({"down", width, m.hidden, count, active});
}

std::int64_t router_parameters(LanguageModel const& m) {
    std::int64_t const gate = m.shared_expert_gate && m.experts > 0 && m.ffn > 0 ? m.hidden : 0;
    return m.experts * (m.hidden + (m.router_bias ? 1 : 0)) + gate;
}

/// Width of the keys without rotation and of the values of all heads, which kv_b yields.
std::int64_t expanded_width(LanguageModel const& m) {
    return m.query_width() - m.heads * m.rope_dimension + m.value_width();
}

std::vector<WeightMatrix> latent_matrices(LanguageModel const& m) {
    std::vector<WeightMatrix> matrices;
    if (m.query_rank > 0) {
        matrices.push_back({"q_a", m.hidden, m.query_rank});
        matrices.push_back({"q_b", m.query_rank, m.query_width()});
    } else {
        matrices.push_back({"q", m.hidden, m.query_width()});
    }
    matrices.push_back({"kv_a", m.hidden, m.kv_rank + m.rope_dimension});
    matrices.push_back({"kv_b", m.kv_rank, expanded_width(m)});
    matrices.push_back({"o", m.value_width(), m.hidden});
    return matrices;
}

std::vector<WeightMatrix> attention_matrices(LanguageModel const& m) {
    if (m.kv_rank > 0) return latent_matrices(m);
    return {{"q", m.hidden, m.query_width()},
            {"k", m.hidden, m.kv_width()},
            {"v", m.hidden, m.kv_width()},
            {"o", m.query_width(), m.hidden}};
}

void set_kind(LanguageModel& m, LayerKind const& kind) {
    m.layers = kind.layers;
    m.window = kind.window;
    m.chunked = kind.chunked;
    m.ffn = kind.ffn;
    m.experts = kind.experts;
    m.experts_active = kind.experts_active;
    m.expert_ffn = kind.expert_ffn;
    m.format = kind.format;
    if (kind.format < m.formats.size()) m.weight_format = m.formats[kind.format];
}

}  // namespace

void set_layers(LanguageModel& m, std::vector<LayerKind> const& kinds) {
    std::vector<LayerKind> joined;
    std::int64_t layers = 0;
    for (auto const& kind : kinds) {
        layers += kind.layers;
        auto const same = std::ranges::find_if(joined, [&](LayerKind other) {
            other.layers = kind.layers;
            return other == kind;
        });
        if (same == joined.end())
            joined.push_back(kind);
        else
            same->layers += kind.layers;
    }
    set_kind(m, joined.front());
    m.layers = layers;
    m.kinds = joined.size() > 1 ? joined : std::vector<LayerKind>{};
}

void finish_layers(LanguageModel& model) {
    model.alike.clear();
    if (model.kinds.empty()) return;
    std::vector<LanguageModel> alike(model.kinds.size(), model);
    for (std::size_t i = 0; i < alike.size(); ++i) {
        set_kind(alike[i], model.kinds[i]);
        alike[i].kinds.clear();
    }
    model.alike = std::move(alike);
}

std::span<LanguageModel const> alike_layers(LanguageModel const& model) {
    return model.alike.empty() ? std::span(&model, 1) : std::span(model.alike);
}

bool same_network(LanguageModel const& a, LanguageModel const& b) {
    return a.ffn == b.ffn && a.experts == b.experts && a.experts_active == b.experts_active &&
           a.expert_ffn == b.expert_ffn;
}

std::vector<WeightMatrix> layer_matrices(LanguageModel const& m) {
    auto matrices = attention_matrices(m);
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

std::int64_t total_parameters(LanguageModel const& model) {
    std::int64_t layers = 0;
    for (auto const& m : alike_layers(model)) {
        layers += m.layers * (layer_weights(m) + layer_biases(m) + m.experts * expert_biases(m) +
                              m.layer_norms * norm_parameters(m) + router_parameters(m) + m.other_layer_parameters);
    }
    std::int64_t const tables = lm_head_weights(model) * (model.tied_embedding ? 1 : 2);
    std::int64_t const ends =
        projected(model) ? 2 * model.embedding_projection * model.hidden : model.end_norms * norm_parameters(model);
    return layers + tables + ends + model.position_rows * model.hidden + (model.head_bias ? model.vocabulary : 0) +
           model.other_parameters;
}

std::int64_t active_parameters(LanguageModel const& model) {
    std::int64_t unused = 0;
    for (auto const& m : alike_layers(model))
        unused += m.layers * (layer_weights(m) - layer_weights(m, Experts::active) +
                              (m.experts - m.experts_active) * expert_biases(m));
    return total_parameters(model) - unused;
}

double keys_of(LanguageModel const& m, double context) {
    auto const window = static_cast<double>(m.window);
    if (m.window == 0 || context <= window) return context;
    return m.chunked ? context - window * std::floor((context - 1.0) / window) : window;
}

namespace {

/// Sum of keys_of over the positions 1 to `last`.
double keys_up_to(LanguageModel const& m, double last) {
    auto const window = static_cast<double>(m.window);
    auto const sum = [](double n) { return n * (n + 1.0) / 2.0; };
    if (m.window == 0 || last <= window) return sum(last);
    if (!m.chunked) return sum(window) + (last - window) * window;
    double const chunks = std::floor(last / window);
    return chunks * sum(window) + sum(last - chunks * window);
}

}  // namespace

double mean_keys(LanguageModel const& m, ContextRange const& c) {
    if (m.window == 0 || c.last <= static_cast<double>(m.window)) return (c.first + c.last) / 2.0;
    if (c.last < c.first) return keys_of(m, c.first);
    return (keys_up_to(m, c.last) - keys_up_to(m, c.first - 1.0)) / (c.last - c.first + 1.0);
}

double attention_multiplications(LanguageModel const& m, double queries, double keys, double cached) {
    double const pairs = queries * keys;
    double const expanded = pairs * static_cast<double>(m.query_width() + m.value_width());
    if (m.kv_rank == 0) return expanded;
    auto const latent = static_cast<double>(m.heads * (2 * m.kv_rank + m.rope_dimension));
    double const expansion = cached * static_cast<double>(m.kv_rank * expanded_width(m));
    return std::min(expanded + expansion, pairs * latent);
}

std::int64_t exceeded_window(LanguageModel const& m, std::int64_t context) { return m.window < context ? m.window : 0; }

std::int64_t chunk_of(LanguageModel const& m) {
    std::int64_t chunk = 0;
    for (auto const& alike : alike_layers(m))
        if (alike.chunked) chunk = std::gcd(chunk, alike.window);
    return chunk;
}

double held_positions(LanguageModel const& m, double positions) {
    return m.window == 0 ? positions : std::min(positions, static_cast<double>(m.window));
}

std::int64_t kv_elements_per_token(LanguageModel const& m) {
    return m.kv_rank > 0 ? m.kv_rank + m.rope_dimension : 2 * m.kv_width();
}

}  // namespace pimdse::models
