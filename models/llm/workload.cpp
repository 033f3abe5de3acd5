#include "models/llm/workload.hpp"

#include "models/llm/state.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace pimdse::models {
namespace {

using sim::as_double;

std::int64_t norm_parameters(LanguageModel const& m) { return m.hidden * (m.layer_norm ? 2 : 1); }

/// Half of them belong to the mixer of a layer, and half to its network, where it has both.
std::int64_t layer_norms(LanguageModel const& m) {
    std::int64_t const parts = (m.attends || has_state(m) ? 1 : 0) + (has_network(m) ? 1 : 0);
    return norm_parameters(m) * m.layer_norms * parts / 2;
}

std::int64_t layer_biases(LanguageModel const& m) {
    std::int64_t biases = 0;
    if (m.attends && m.qkv_bias) biases += m.query_width() + (m.shares_keys ? 0 : m.kv_width() + m.kv_value_width());
    if (m.attends && m.output_bias) biases += m.hidden;
    if (m.ffn_bias && has_network(m)) biases += m.ffn * (m.gated ? 2 : 1) + m.hidden;
    return biases;
}

/// True for OPT-350M: its embedding is narrower than the model, so two matrices lead in and out, and it has no final
/// norm.
bool projected(LanguageModel const& m) { return m.embedding_projection != 0 && m.embedding_projection != m.hidden; }

std::int64_t embedding_width(LanguageModel const& m) { return projected(m) ? m.embedding_projection : m.hidden; }

void add_ffn(WeightMatrix const& up, bool gated, std::vector<WeightMatrix>& into) {
    if (gated) into.push_back({"gate", up.inputs, up.outputs, up.count, up.active});
    into.push_back(up);
    into.push_back({"down", up.outputs, up.inputs, up.count, up.active});
}

std::int64_t router_parameters(LanguageModel const& m) {
    std::int64_t const gate = m.shared_expert_gate && m.experts > 0 && m.ffn > 0 ? m.hidden : 0;
    return m.experts * (m.hidden + (m.router_bias ? 1 : 0)) + gate;
}

/// Width of the keys without rotation and of the values of all heads, which kv_b yields.
std::int64_t expanded_width(LanguageModel const& m) {
    return m.query_width() - m.heads * m.rope_dimension + m.value_width();
}

void add_latent(LanguageModel const& m, std::vector<WeightMatrix>& matrices) {
    matrices.push_back({"kv_a", m.hidden, m.kv_rank + m.rope_dimension});
    matrices.push_back({"kv_b", m.kv_rank, expanded_width(m)});
    if (m.output_gate) matrices.push_back({"g", m.hidden, m.value_width()});
    matrices.push_back({"o", m.value_width(), m.hidden});
}

void add_queries(LanguageModel const& m, std::vector<WeightMatrix>& matrices) {
    if (m.query_rank > 0) {
        matrices.push_back({"q_a", m.hidden, m.query_rank});
        matrices.push_back({"q_b", m.query_rank, m.query_width()});
    } else {
        matrices.push_back({"q", m.hidden, m.query_width()});
    }
}

void add_attention(LanguageModel const& m, std::vector<WeightMatrix>& matrices) {
    if (!m.attends) return;
    add_queries(m, matrices);
    if (m.kv_rank > 0) return add_latent(m, matrices);
    if (!m.shares_keys) matrices.push_back({"k", m.hidden, m.kv_width()});
    if (!m.shares_keys && !m.values_from_keys) matrices.push_back({"v", m.hidden, m.kv_value_width()});
    if (m.output_gate) matrices.push_back({"g", m.hidden, m.value_width()});
    if (m.output_rank == 0 || m.output_groups == 0) {
        matrices.push_back({"o", m.value_width(), m.hidden});
    } else {  // every output of the first one reads the heads of its group
        matrices.push_back({"o_a", m.value_width() / m.output_groups, m.output_groups * m.output_rank});
        matrices.push_back({"o_b", m.output_groups * m.output_rank, m.hidden});
    }
}

/// Queries come from those of latent attention, keys and weights of the heads from the residual stream.
void add_indexer(LanguageModel const& m, std::vector<WeightMatrix>& matrices) {
    auto const& i = m.indexer;
    if (i.heads == 0) return;
    matrices.push_back({"index_q", m.query_rank > 0 ? m.query_rank : m.hidden, i.heads * i.dimension});
    matrices.push_back({"index_k", m.hidden, i.dimension});
    if (i.weighted) matrices.push_back({"index_weights", m.hidden, i.heads});
}

/// A row of the table is projected with the residual stream, gates it, and leads back.
void add_embedding(LanguageModel const& m, std::vector<WeightMatrix>& matrices) {
    if (m.layer_embedding == 0) return;
    matrices.push_back({"embedding_in", m.hidden, m.layer_embedding});
    matrices.push_back({"embedding_gate", m.hidden, m.layer_embedding});
    matrices.push_back({"embedding_out", m.layer_embedding, m.hidden});
}

std::int64_t layer_table(LanguageModel const& m) {
    return m.layer_embedding * (m.layer_vocabulary > 0 ? m.layer_vocabulary : m.vocabulary);
}

/// LayerNorm of the indexer's keys, norm after an embedding per layer, and others that no shape implies.
std::int64_t other_parameters_of_layer(LanguageModel const& m) {
    return other_state_parameters(m) + m.other_layer_parameters + m.other_parameters + 2 * m.indexer.dimension +
           (m.layer_embedding > 0 ? m.hidden : 0);
}

void set_kind(LanguageModel& m, LayerKind const& kind) {
    static_cast<LayerKind&>(m) = kind;
    if (kind.format < m.formats.size()) m.weight_format = m.formats[kind.format];
}

/// The kind with the attention of the model where it names none.
LayerKind with_attention(LayerKind kind, LanguageModel const& m) {
    if (kind.heads == 0) kind.heads = m.heads;
    if (kind.kv_heads == 0) kind.kv_heads = m.kv_heads;
    if (kind.head_dimension == 0) kind.head_dimension = m.head_dimension;
    if (kind.value_dimension == 0) kind.value_dimension = m.value_dimension;
    return kind;
}

/// Positions that a query attends to at most one by one; 0: all up to itself.
std::int64_t reach_of(LanguageModel const& m) {
    if (m.compression > 0) return m.window;
    if (m.window == 0 || m.indexer.positions == 0) return std::max(m.window, m.indexer.positions);
    return std::min(m.window, m.indexer.positions);
}

/// Positions up to `context` among the last `reach`, or those of its chunk; 0: all.
double reached(double reach, bool chunked, double context) {
    if (reach == 0.0 || context <= reach) return context;
    return chunked ? context - reach * std::floor((context - 1.0) / reach) : reach;
}

/// Sum of `reached` over the positions 1 to `last`.
double reached_up_to(double reach, bool chunked, double last) {
    auto const sum = [](double n) { return n * (n + 1.0) / 2.0; };
    if (reach == 0.0 || last <= reach) return sum(last);
    if (!chunked) return sum(reach) + (last - reach) * reach;
    double const chunks = std::floor(last / reach);
    return chunks * sum(reach) + sum(last - chunks * reach);
}

double mean_reached(double reach, bool chunked, ContextRange const& c) {
    if (reach == 0.0 || c.last <= reach) return (c.first + c.last) / 2.0;
    if (c.last < c.first) return reached(reach, chunked, c.first);
    return (reached_up_to(reach, chunked, c.last) - reached_up_to(reach, chunked, c.first - 1.0)) /
           (c.last - c.first + 1.0);
}

/// Positions behind the compressed keys that a query attends to at most; 0: all.
double compressed_reach(LanguageModel const& m) { return as_double(m.indexer.positions * m.compression); }

}  // namespace

void set_layers(LanguageModel& m, std::vector<LayerKind> const& kinds) {
    std::vector<LayerKind> joined;
    std::vector<std::uint16_t> order;
    for (auto const& written : kinds) {
        auto const kind = with_attention(written, m);
        auto same = std::ranges::find_if(joined, [&](LayerKind other) {
            other.layers = kind.layers;
            return other == kind;
        });
        order.insert(order.end(), static_cast<std::size_t>(kind.layers),
                     static_cast<std::uint16_t>(same - joined.begin()));
        if (same == joined.end())
            joined.push_back(kind);
        else
            same->layers += kind.layers;
    }
    set_kind(m, joined.front());
    m.layers = static_cast<std::int64_t>(order.size());
    bool const several = joined.size() > 1;
    m.kinds = several ? std::move(joined) : std::vector<LayerKind>{};
    m.order = several ? std::move(order) : std::vector<std::uint16_t>{};
}

std::vector<LayerKind> repeated(std::vector<LayerKind> const& kinds, std::vector<std::int64_t> const& pattern) {
    sim::expects(!pattern.empty(), "a pattern has layers");
    std::int64_t layers = 0;
    for (auto const& kind : kinds) layers += kind.layers;
    std::vector<LayerKind> all;
    for (std::size_t i = 0; static_cast<std::int64_t>(i) < layers; ++i) {
        all.push_back(kinds.at(static_cast<std::size_t>(pattern[i % pattern.size()])));
        all.back().layers = 1;
    }
    return all;
}

void finish_layers(LanguageModel& model) {
    model.alike.clear();
    if (model.kinds.empty()) return;
    auto plain = model;
    plain.kinds.clear();
    plain.order.clear();
    std::vector<LanguageModel> alike(model.kinds.size(), plain);
    for (std::size_t i = 0; i < alike.size(); ++i) set_kind(alike[i], model.kinds[i]);
    model.alike = std::move(alike);
}

std::span<LanguageModel const> alike_layers(LanguageModel const& model) {
    return model.alike.empty() ? std::span(&model, 1) : std::span(model.alike);
}

bool same_network(LanguageModel const& a, LanguageModel const& b) {
    return a.ffn == b.ffn && a.experts == b.experts && a.experts_active == b.experts_active &&
           a.expert_ffn == b.expert_ffn && a.expert_inputs == b.expert_inputs;
}

std::vector<WeightMatrix> layer_matrices(LanguageModel const& m) {
    constexpr std::size_t most = 16;  // of most models
    std::vector<WeightMatrix> matrices;
    matrices.reserve(most);
    add_attention(m, matrices);
    add_indexer(m, matrices);
    if (has_state(m)) std::ranges::copy(state_matrices(m), std::back_inserter(matrices));
    add_embedding(m, matrices);
    std::ranges::copy(m.matrices, std::back_inserter(matrices));
    if (m.ffn > 0) add_ffn({"up", m.hidden, m.ffn}, m.gated, matrices);
    if (m.expert_inputs > 0) matrices.push_back({"experts_in", m.hidden, m.expert_inputs});
    if (m.experts > 0) add_ffn({"up", m.expert_width(), m.expert_ffn, m.experts, m.experts_active}, m.gated, matrices);
    if (m.expert_inputs > 0) matrices.push_back({"experts_out", m.expert_inputs, m.hidden});
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
    auto const devices = static_cast<double>(m.expert_devices);
    double const untouched = std::pow(1.0 - active / (experts * devices), tokens * devices);
    return tokens * devices <= 1.0 ? tokens * active : std::min(experts * (1.0 - untouched), tokens * active);
}

double touched_copies(LanguageModel const& m, WeightMatrix const& matrix, double tokens) {
    return matrix.count > 1 ? touched_experts(m, tokens) : 1.0;
}

std::int64_t lm_head_weights(LanguageModel const& m) { return embedding_width(m) * m.vocabulary; }

std::int64_t total_parameters(LanguageModel const& model) {
    std::int64_t layers = 0;
    for (auto const& m : alike_layers(model)) {
        std::int64_t const each = layer_weights(m) + layer_biases(m) + layer_norms(m) + router_parameters(m) +
                                  other_parameters_of_layer(m) + m.experts * m.other_expert_parameters;
        layers += weight_sets(m) * each + m.layers * layer_table(m);
    }
    std::int64_t const own_tables = model.borrowed_tables ? 0 : model.tied_embedding ? 1 : 2;
    std::int64_t const tables = lm_head_weights(model) * own_tables;
    std::int64_t const ends =
        projected(model) ? 2 * model.embedding_projection * model.hidden : model.end_norms * norm_parameters(model);
    return layers + tables + ends + model.position_rows * model.hidden + (model.head_bias ? model.vocabulary : 0) +
           model.other_model_parameters;
}

std::int64_t active_parameters(LanguageModel const& model) {
    std::int64_t unused = model.unread_parameters;
    for (auto const& m : alike_layers(model))
        unused += weight_sets(m) * (layer_weights(m) - layer_weights(m, Experts::active) +
                                    (m.experts - m.experts_active) * m.other_expert_parameters);
    return total_parameters(model) - unused;
}

double single_keys(LanguageModel const& m, double context) {
    return m.attends ? reached(as_double(reach_of(m)), m.chunked, context) : 0.0;
}

double keys_of(LanguageModel const& m, double context) {
    double const keys = single_keys(m, context);
    if (m.compression == 0) return keys;
    return keys + reached(compressed_reach(m), false, context) / as_double(m.compression);
}

double mean_keys(LanguageModel const& m, ContextRange const& c) {
    if (!m.attends) return 0.0;
    double const keys = mean_reached(as_double(reach_of(m)), m.chunked, c);
    if (m.compression == 0) return keys;
    return keys + mean_reached(compressed_reach(m), false, c) / as_double(m.compression);
}

double attention_multiplications(LanguageModel const& m, double queries, double keys, double cached) {
    if (!m.attends) return 0.0;
    double const pairs = queries * keys;
    double const expanded = pairs * static_cast<double>(m.query_width() + m.value_width());
    if (m.kv_rank == 0) return expanded;
    auto const latent = static_cast<double>(m.heads * (2 * m.kv_rank + m.rope_dimension));
    double const expansion = cached * static_cast<double>(m.kv_rank * expanded_width(m));
    return std::min(expanded + expansion, pairs * latent);
}

double index_multiplications(LanguageModel const& m, double queries, double context) {
    return queries * context * static_cast<double>(m.indexer.heads * m.indexer.dimension);
}

std::int64_t exceeded_window(LanguageModel const& m, std::int64_t context) {
    auto const reach = reach_of(m), compressed = m.indexer.positions * m.compression;
    auto const least = compressed > 0 ? std::min(reach, compressed) : reach;
    return least < context ? least : 0;
}

std::int64_t chunk_of(LanguageModel const& m) {
    std::int64_t chunk = 0;
    for (auto const& alike : alike_layers(m))
        if (alike.chunked) chunk = std::gcd(chunk, alike.window);
    return chunk;
}

double index_keys_per_position(LanguageModel const& m) {
    return 1.0 / as_double(m.compression > 0 ? m.compression : m.indexer.pool);
}

double keys_per_position(LanguageModel const& m) {
    return m.compression > 0 ? 1.0 + 1.0 / as_double(m.compression) : 1.0;
}

double share_in_window(LanguageModel const& m) {
    if (m.compression == 0) return m.window == 0 ? 0.0 : 1.0;
    return as_double(attention_elements(m)) / kv_elements_per_token(m);
}

double held_positions(LanguageModel const& m, double positions) {
    double const share = share_in_window(m);
    if (share == 0.0) return positions;
    return share * std::min(positions, as_double(m.window)) + (1.0 - share) * positions;
}

std::int64_t attention_elements(LanguageModel const& m) {
    return m.kv_rank > 0 ? m.kv_rank + m.rope_dimension : m.kv_width() + (m.one_vector ? 0 : m.kv_value_width());
}

double kv_elements_per_token(LanguageModel const& m) {
    double const keys = m.shares_keys || !m.attends ? 0.0 : keys_per_position(m) * as_double(attention_elements(m));
    return keys + index_keys_per_position(m) * as_double(m.indexer.dimension);
}

double position_elements(LanguageModel const& model) {
    double elements = 0.0;
    for (auto const& m : alike_layers(model)) elements += as_double(m.layers) * kv_elements_per_token(m);
    return elements;
}

std::int64_t weight_sets(LanguageModel const& m) {
    return m.weight_sets > 0 ? std::min(m.weight_sets, m.layers) : m.layers;
}

}  // namespace pimdse::models
