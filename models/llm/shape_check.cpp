#include "models/llm/shape_check.hpp"

#include "models/llm/state.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::models {
namespace {

constexpr std::int64_t max_cached = 1 << 28;
constexpr double max_parameters = 1e14, max_state = 1e14;  ///< elements, bytes
constexpr int feed_forward_matrices = 3;                   ///< gate, up and down

using Mistakes = std::vector<ShapeMistake>;

double real(std::int64_t n) { return static_cast<double>(n); }

/// Upper bound of the parameters of the layers.
double layers_at_most(LanguageModel const& m) {
    double const feed_forward = feed_forward_matrices * (real(m.ffn) + real(m.experts) * real(m.expert_ffn));
    double const heads = 2.0 * (real(m.heads) + real(m.kv_heads)) * real(std::max(m.value_dimension, m.head_dimension));
    double const latent = real(m.kv_rank + m.query_rank) * (heads + real(m.value_width()) + real(m.hidden));
    double const state = 4 * (real(m.state.heads) * real(m.state.value_dimension) +
                              real(m.state.key_heads) * real(m.state.key_dimension)) +
                         2 * real(m.state.heads);
    double const inner =
        real(m.state.heads) * (real(m.state.rank + m.state.gate_rank) + 3 * real(m.state.key_dimension));
    double const index = real(m.indexer.heads) * real(m.indexer.dimension + 1) + real(m.indexer.dimension);
    double const embedding =
        real(m.layer_embedding) * (3 * real(m.hidden) + real(std::max(m.layer_vocabulary, m.vocabulary)));
    double others = real(m.other_parameters) + 2.0 * real(m.hidden) * real(m.expert_inputs);
    for (auto const& matrix : m.matrices) others += real(matrix.inputs) * real(matrix.outputs);
    double const gate = m.output_gate ? real(m.heads) * real(std::max(m.value_dimension, m.head_dimension)) : 0.0;
    return real(m.layers) * (real(m.hidden) * (heads + gate + feed_forward + real(m.experts) + state + index) + latent +
                             inner + real(m.query_rank) * index + embedding + others);
}

/// Upper bound of the number of parameters as a double, because the product of the widths may not fit 64 bits yet.
double parameters_at_most(LanguageModel const& model) {
    double const positions = real(model.position_rows);
    double const tables = 2.0 * real(model.vocabulary) + positions + 2.0 * real(model.embedding_projection);
    double all = real(model.hidden) * tables;
    for (auto const& m : alike_layers(model)) all += layers_at_most(m);
    return all;
}

/// Checks what a layer has: its own network, dense or of experts, unless other layers have one or it has a state.
void check_parts(LanguageModel const& m, LanguageModel const& model, Mistakes& mistakes) {
    bool const keeps_state = has_state(m);
    bool const any_network = std::ranges::any_of(alike_layers(model), has_network);
    if (!m.attends && !keeps_state && !has_network(m))
        mistakes.push_back({"attends", "a layer without attention, state and network has nothing to compute"});
    else if (!keeps_state && !any_network)
        mistakes.push_back({"ffn", "ffn = 0 without experts (a layer needs one of the two)"});
    if (m.experts > 0 && m.experts_active == 0)
        mistakes.push_back(
            {"experts_active", fmt::format("experts_active = 0 of {} experts (a token uses at least one)", m.experts)});
    if (m.experts > 0 && m.expert_ffn == 0)
        mistakes.push_back(
            {"expert_ffn", fmt::format("expert_ffn = 0 with {} experts (their width must be above 0)", m.experts)});
    if (m.expert_inputs > 0 && (m.experts == 0 || m.expert_inputs >= m.hidden))
        mistakes.push_back(
            {"expert_inputs", fmt::format("expert_inputs = {} {}", m.expert_inputs,
                                          m.experts == 0 ? "of a layer without experts"
                                                         : fmt::format("is not below hidden = {}", m.hidden))});
}

void check_attention(LanguageModel const& m, LanguageModel const& model, Mistakes& mistakes) {
    if (m.heads % m.kv_heads != 0)
        mistakes.push_back({"kv_heads", fmt::format("kv_heads = {} does not divide heads = {}", m.kv_heads, m.heads)});
    if (!m.attends && (m.shares_keys || m.indexer.positions > 0 || m.output_gate))
        mistakes.push_back({"attends", "attends = false, but shares_keys, indexer or output_gate is given"});
    if (m.indexer.positions > 0 && m.attention == Attention::bidirectional)
        mistakes.push_back({"indexer", "an indexer chooses among the positions before a query (attention = causal)"});
    if (m.indexer.positions > 0 && m.chunked)
        mistakes.push_back({"indexer", "an indexer chooses positions of the whole context, not of chunks"});
    auto const& indexer = m.indexer;
    if ((indexer.heads == 0) != (indexer.dimension == 0))
        mistakes.push_back(
            {"indexer", fmt::format("an indexer with heads = {} and dimension = {} (both, or neither where "
                                    "it takes what a layer before it has chosen)",
                                    indexer.heads, indexer.dimension)});
    bool const divided = m.output_groups > 0 && m.heads % m.output_groups == 0;
    if ((m.output_groups > 0 || m.output_rank > 0) && (!divided || m.output_rank == 0))
        mistakes.push_back(
            {"output_groups", fmt::format("output_groups = {} and output_rank = {} of {} heads (both above 0, and the "
                                          "groups divide the heads; or neither)",
                                          m.output_groups, m.output_rank, m.heads)});
    bool const keeps = std::ranges::any_of(alike_layers(model),
                                           [&](auto const& other) { return other.attends && !other.shares_keys; });
    if (m.one_vector && m.kv_rank > 0)
        mistakes.push_back({"one_vector", "one_vector = true beside latent attention, whose vector it is already"});
    if (m.compression > 0 && (m.window == 0 || m.chunked || !m.attends || m.shares_keys))
        mistakes.push_back(
            {"compression",
             fmt::format("compression = {} of a layer without a window and keys of its own", m.compression)});
    if (m.values_from_keys && m.value_size() != m.head_dimension)
        mistakes.push_back({"value_dimension", fmt::format("value_dimension = {} of values that are keys of {}",
                                                           m.value_size(), m.head_dimension)});
    if (m.shares_keys && !keeps) mistakes.push_back({"shares_keys", "shares_keys = true, but no layer keeps keys"});
}

void check_state(LanguageModel const& m, Mistakes& mistakes) {
    auto const& s = m.state;
    if (s.kind == StateKind::none) return;
    if (m.attention == Attention::bidirectional)
        mistakes.push_back({"state", "a state holds what was before a position (attention = causal)"});
    bool const has_keys = s.kind != StateKind::convolution;
    if (has_keys != (s.key_dimension > 0) || (has_keys && s.key_heads == 0))
        mistakes.push_back(
            {"state", fmt::format("a state of kind '{}' has {}", name_of(s.kind),
                                  has_keys ? "key_heads and key_dimension above 0" : "no key_dimension")});
    else if (has_keys && s.heads % s.key_heads != 0)
        mistakes.push_back(
            {"state", fmt::format("key_heads = {} does not divide heads = {} of a state", s.key_heads, s.heads)});
    bool const of_channels = s.kind == StateKind::mamba || s.kind == StateKind::convolution;
    if (of_channels && s.value_dimension != 1)
        mistakes.push_back({"state", fmt::format("value_dimension = {} (channels of '{}' have 1 each)",
                                                 s.value_dimension, name_of(s.kind))});
    bool const has_rank = s.kind == StateKind::mamba;
    if (s.kind != StateKind::kimi_delta && has_rank != (s.rank > 0))  // 0: matrices without a rank
        mistakes.push_back({"state", fmt::format("rank = {} of a state of kind '{}' ({})", s.rank, name_of(s.kind),
                                                 has_rank ? "it must be above 0" : "it has none")});
    if (s.kind == StateKind::convolution && s.convolution == 0)
        mistakes.push_back({"state", "convolution = 0 of a state that is nothing else"});
}

void check_latent_attention(LanguageModel const& m, Mistakes& mistakes) {
    if (m.kv_rank == 0) {
        if (m.rope_dimension > 0)
            mistakes.push_back({"kv_rank", "kv_rank = 0, but other dimensions of latent attention are given"});
        return;
    }
    if (m.kv_heads != m.heads)
        mistakes.push_back(
            {"kv_heads",
             fmt::format("kv_heads = {} is not heads = {} (latent attention expands keys and values of every head)",
                         m.kv_heads, m.heads)});
    if (m.rope_dimension > m.head_dimension)
        mistakes.push_back(
            {"rope_dimension", fmt::format("rope_dimension = {} exceeds head_dimension = {}, which contains it",
                                           m.rope_dimension, m.head_dimension)});
}

}  // namespace

std::vector<ShapeMistake> shape_mistakes(LanguageModel const& model) {
    Mistakes mistakes;
    for (auto const& m : alike_layers(model)) check_attention(m, model, mistakes);
    check_latent_attention(model, mistakes);
    auto const layers = alike_layers(model);  // by their first layers
    auto const chooses = std::ranges::find_if(layers, [](LanguageModel const& m) { return m.indexer.positions > 0; });
    if (chooses != layers.end() && chooses->indexer.heads == 0)
        mistakes.push_back({"indexer", "no layer before the first one that takes a choice has an indexer with heads"});
    std::int64_t cached = 0;
    for (auto const& m : alike_layers(model))
        cached += m.layers * m.kv_heads * std::max(m.head_dimension, m.value_dimension);
    if (cached > max_cached)
        mistakes.push_back(
            {"kv_heads",
             fmt::format("layers x kv_heads x head_dimension = {} keys per token (at most {})", cached, max_cached)});
    if (double const state = sequence_state_bytes(model); state > max_state)
        mistakes.push_back({"state", fmt::format("a sequence has {:.3g} B of states (at most {:.0e} are supported)",
                                                 state, max_state)});
    if (double const all = parameters_at_most(model); all > max_parameters)
        mistakes.push_back(
            {"hidden", fmt::format("about {:.3g} parameters (at most {:.0e} are supported)", all, max_parameters)});
    for (auto const& m : alike_layers(model)) {
        if (m.experts_active > m.experts)
            mistakes.push_back({"experts_active",
                                fmt::format("experts_active = {} exceeds experts = {}", m.experts_active, m.experts)});
        check_parts(m, model, mistakes);
        check_state(m, mistakes);
    }
    return mistakes;
}

}  // namespace pimdse::models
