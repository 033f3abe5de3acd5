#include "models/llm/config_families.hpp"

#include "models/llm/limits.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace pimdse::models {
namespace {

/// Widths and heads under the names that most families use. A head is hidden / heads wide unless the file says
/// otherwise.
void read_attention(ConfigReader& file, LanguageModel& m) {
    m.hidden = file.count("hidden_size", max_width);
    m.layers = file.count("num_hidden_layers", max_layers);
    m.heads = file.count("num_attention_heads", max_heads);
    m.kv_heads = file.count_or("num_key_value_heads", max_heads, m.heads);
    if (m.kv_heads == 0) file.mistake("num_key_value_heads", "num_key_value_heads = 0 (at least one head has keys)");
    m.kv_heads = std::max<std::int64_t>(m.kv_heads, 1);
    m.head_dimension = file.count_or("head_dim", max_heads, 0);
    if (m.head_dimension != 0) return;
    if (m.hidden > 1 && m.hidden % m.heads != 0)
        file.mistake("num_attention_heads",
                     fmt::format("num_attention_heads = {} does not divide hidden_size = {}, and there is no head_dim",
                                 m.heads, m.hidden));
    m.head_dimension = std::max<std::int64_t>(m.hidden / m.heads, 1);
}

void read_tables(ConfigReader& file, LanguageModel& m, bool tied) {
    m.vocabulary = file.count("vocab_size", max_width);
    m.maximum_context = file.count("max_position_embeddings", max_context);
    m.tied_embedding = file.flag_or("tie_word_embeddings", tied);
    m.embedding_projection = m.hidden;
}

/// Attention, tables and a gated feed-forward network: llama and its descendants.
void read_gated(ConfigReader& file, LanguageModel& m) {
    read_attention(file, m);
    read_tables(file, m, false);
    m.ffn = file.count("intermediate_size", max_width);
    m.gated = true;
}

/// Sets the layers one by one: `change(kind, i)` changes a copy of the model's own kind for layer i, from 0.
void set_each_layer(LanguageModel& m, std::function<void(LayerKind&, std::int64_t)> const& change) {
    std::vector<LayerKind> kinds;
    for (std::int64_t i = 0; i < m.layers; ++i) {
        kinds.push_back({1, m.window, m.chunked, m.ffn, m.experts, m.experts_active, m.expert_ffn});
        change(kinds.back(), i);
    }
    set_layers(m, kinds);
}

/// Whether layer i, from 0, has a window: as `layer_types` says, else as `otherwise(i)` does.
std::function<bool(std::int64_t)> windowed_layers(ConfigReader& file, std::int64_t layers,
                                                  std::function<bool(std::int64_t)> otherwise) {
    auto const types = file.texts("layer_types");
    if (types.empty()) return otherwise;
    if (static_cast<std::int64_t>(types.size()) != layers) {
        file.mistake("layer_types",
                     fmt::format("layer_types has {} entries (there are {} layers)", types.size(), layers));
        return otherwise;
    }
    constexpr std::array known{"full_attention", "sliding_attention", "chunked_attention"};
    for (auto const& type : types) {
        if (std::ranges::find(known, type) == known.end()) {
            file.mistake("layer_types", fmt::format("'{}' layers are not modelled", type));
            break;
        }
    }
    return [types](std::int64_t i) { return types[static_cast<std::size_t>(i)] != "full_attention"; };
}

/// Gives `window` to the layers that `layer_types` names, or else to those for which `otherwise(i)` is true.
void set_windows(ConfigReader& file, LanguageModel& m, std::int64_t window,
                 std::function<bool(std::int64_t)> otherwise) {
    auto const windowed = windowed_layers(file, m.layers, std::move(otherwise));
    set_each_layer(m, [&](LayerKind& kind, std::int64_t i) { kind.window = windowed(i) ? window : 0; });
}

/// Every second layer has a window, the first included.
bool every_second(std::int64_t layer) { return layer % 2 == 0; }

void read_attention_bias(ConfigReader& file, LanguageModel& m, bool otherwise) {
    m.qkv_bias = m.output_bias = file.flag_or("attention_bias", otherwise);
}

/// `sliding_window` positions for all layers.
void read_window(ConfigReader& file, LanguageModel& m) { m.window = file.count_or("sliding_window", max_context, 0); }

void read_llama(ConfigReader& file, LanguageModel& m) {
    read_gated(file, m);
    read_attention_bias(file, m, false);
    m.ffn_bias = file.flag_or("mlp_bias", false);
}

void read_windowed(ConfigReader& file, LanguageModel& m) {
    read_gated(file, m);
    read_window(file, m);
}

/// Every layer has experts as wide as `intermediate_size`, and nothing else.
void read_mixtral(ConfigReader& file, LanguageModel& m) {
    read_windowed(file, m);
    m.expert_ffn = m.ffn;
    m.ffn = 0;
    m.experts = file.count("num_local_experts", max_experts);
    m.experts_active = file.count("num_experts_per_tok", max_experts);
}

/// The window counts only with `use_sliding_window`, and from layer `max_window_layers` on.
void read_window_switch(ConfigReader& file, LanguageModel& m) {
    bool const used = file.flag_or("use_sliding_window", false);
    auto const window = file.count_or("sliding_window", max_context, 0);
    auto const first = file.count_or("max_window_layers", max_layers, 0);
    set_windows(file, m, window, [=](std::int64_t i) { return used && i >= first; });
}

void refuse_window_switch(ConfigReader& file) {
    if (file.flag_or("use_sliding_window", false))
        file.mistake("use_sliding_window", "windows beside experts are not modelled in this family");
    file.ignore({"sliding_window", "max_window_layers"});
}

/// Experts in place of the dense network in the layers that `decoder_sparse_step` and `mlp_only_layers` name. All
/// tokens use the shared expert, if there is one.
void read_sparse_layers(ConfigReader& file, LanguageModel& m, std::int64_t shared) {
    auto const width = file.count("moe_intermediate_size", max_width);
    auto const experts = file.count("num_experts", max_experts);
    auto const active = file.count("num_experts_per_tok", max_experts);
    auto const step = std::max<std::int64_t>(file.count_or("decoder_sparse_step", max_layers, 1), 1);
    auto const dense = file.counts("mlp_only_layers", max_layers);
    set_each_layer(m, [&](LayerKind& kind, std::int64_t i) {
        if ((i + 1) % step != 0 || std::ranges::find(dense, i) != dense.end()) return;
        kind = {1, kind.window, false, shared, experts, active, width};
    });
}

void read_qwen2(ConfigReader& file, LanguageModel& m) {
    read_gated(file, m);
    m.qkv_bias = true;
    read_window_switch(file, m);
}

void read_qwen2_moe(ConfigReader& file, LanguageModel& m) {
    read_gated(file, m);
    m.qkv_bias = true;
    m.shared_expert_gate = true;
    refuse_window_switch(file);
    read_sparse_layers(file, m, file.count("shared_expert_intermediate_size", max_width));
}

/// Queries and keys are normalised, with one scale for all heads.
void read_qwen3(ConfigReader& file, LanguageModel& m) {
    read_gated(file, m);
    read_attention_bias(file, m, false);
    m.other_layer_parameters = 2 * m.head_dimension;
    read_window_switch(file, m);
}

void read_qwen3_moe(ConfigReader& file, LanguageModel& m) {
    read_gated(file, m);
    read_attention_bias(file, m, false);
    m.other_layer_parameters = 2 * m.head_dimension;
    refuse_window_switch(file);
    read_sparse_layers(file, m, 0);
}

/// Queries and keys are normalised over all heads together.
void read_olmo2(ConfigReader& file, LanguageModel& m) {
    read_llama(file, m);
    m.other_layer_parameters = m.query_width() + m.kv_width();
}

/// Four norms per layer, and every second layer has a window, the first included.
void read_gemma2(ConfigReader& file, LanguageModel& m) {
    read_attention(file, m);
    read_tables(file, m, true);
    m.ffn = file.count("intermediate_size", max_width);
    m.gated = true;
    read_attention_bias(file, m, false);
    m.other_layer_parameters = 2 * m.hidden;
    auto const window = file.count_or("sliding_window", max_context, 4096);
    set_windows(file, m, window, every_second);
}

/// Four norms per layer, normalised queries and keys; all but every `sliding_window_pattern`-th layer have a window.
/// Vocabulary and context are often left out of these files, and are then those of the family.
void read_gemma3(ConfigReader& file, LanguageModel& m) {
    constexpr std::int64_t usual_vocabulary = 262208, usual_context = 131072, usual_pattern = 6;
    read_attention(file, m);
    m.vocabulary = file.count_or("vocab_size", max_width, usual_vocabulary);
    m.maximum_context = file.count_or("max_position_embeddings", max_context, usual_context);
    m.tied_embedding = file.flag_or("tie_word_embeddings", true);
    m.embedding_projection = m.hidden;
    m.ffn = file.count("intermediate_size", max_width);
    m.gated = true;
    read_attention_bias(file, m, false);
    m.other_layer_parameters = 2 * m.hidden + 2 * m.head_dimension;
    auto const window = file.count("sliding_window", max_context);
    auto const named = file.count_or("sliding_window_pattern", max_layers, 0);
    auto const pattern = file.count_or("_sliding_window_pattern", max_layers, named);
    auto const every = pattern > 0 ? pattern : usual_pattern;
    set_windows(file, m, window, [=](std::int64_t i) { return (i + 1) % every != 0; });
}

/// Experts with biases in every layer, a sink for every head, windows in every second layer, the first included.
void read_gpt_oss(ConfigReader& file, LanguageModel& m) {
    read_attention(file, m);
    read_tables(file, m, false);
    m.gated = true;
    m.expert_ffn = file.count("intermediate_size", max_width);
    m.experts = file.count("num_local_experts", max_experts);
    m.experts_active = file.count_or("experts_per_token", max_experts, 0);
    if (auto const active = file.count_or("num_experts_per_tok", max_experts, m.experts_active); active > 0)
        m.experts_active = active;
    read_attention_bias(file, m, true);
    m.router_bias = true;
    m.other_expert_parameters = 2 * m.expert_ffn + m.hidden;
    m.other_layer_parameters = m.heads;
    auto const window = file.count("sliding_window", max_context);
    set_windows(file, m, window, every_second);
}

/// Multi-head latent attention; after `first_k_dense_replace` dense layers, routed experts and shared ones in every
/// `moe_layer_freq`-th layer. The module that predicts a second token is not part of generation.
void read_deepseek(ConfigReader& file, LanguageModel& m) {
    m.hidden = file.count("hidden_size", max_width);
    m.layers = file.count("num_hidden_layers", max_layers);
    m.heads = m.kv_heads = file.count("num_attention_heads", max_heads);
    m.kv_rank = file.count("kv_lora_rank", max_width);
    m.query_rank = file.count_or("q_lora_rank", max_width, 0);
    m.rope_dimension = file.count("qk_rope_head_dim", max_heads);
    m.head_dimension = file.count("qk_nope_head_dim", max_heads) + m.rope_dimension;
    m.value_dimension = file.count("v_head_dim", max_heads);
    read_tables(file, m, false);
    m.gated = true;
    read_attention_bias(file, m, false);
    m.other_layer_parameters = m.query_rank + m.kv_rank;
    m.ffn = file.count("intermediate_size", max_width);
    auto const width = file.count("moe_intermediate_size", max_width);
    auto const experts = file.count("n_routed_experts", max_experts);
    auto const active = file.count("num_experts_per_tok", max_experts);
    auto const shared = file.count_or("n_shared_experts", max_experts, 0);
    auto const dense = file.count_or("first_k_dense_replace", max_layers, 0);
    auto const step = std::max<std::int64_t>(file.count_or("moe_layer_freq", max_layers, 1), 1);
    file.ignore({"num_key_value_heads", "num_nextn_predict_layers", "n_group", "topk_group", "ep_size", "head_dim",
                 "qk_head_dim"});
    set_each_layer(m, [&](LayerKind& kind, std::int64_t i) {
        if (i < dense || i % step != 0) return;
        kind = {1, 0, false, std::min(shared * width, max_width), experts, active, width};
    });
}

void read_deepseek_v3(ConfigReader& file, LanguageModel& m) {
    read_deepseek(file, m);
    m.router_bias = true;
}

/// Experts beside a shared one in every `interleave_moe_layer_step`-th layer; chunks of the context in all layers but
/// every fourth.
void read_llama4(ConfigReader& file, LanguageModel& m) {
    constexpr std::int64_t whole_every = 4;
    read_attention(file, m);
    read_tables(file, m, false);
    m.gated = true;
    read_attention_bias(file, m, false);
    auto const width = file.count("intermediate_size", max_width);
    auto const dense = file.count("intermediate_size_mlp", max_width);
    auto const experts = file.count("num_local_experts", max_experts);
    auto const active = file.count("num_experts_per_tok", max_experts);
    auto const step = std::max<std::int64_t>(file.count_or("interleave_moe_layer_step", max_layers, 1), 1);
    auto const chunk = file.count("attention_chunk_size", max_context);
    auto const chunked = windowed_layers(file, m.layers, [](std::int64_t i) { return (i + 1) % whole_every != 0; });
    file.ignore(
        {"no_rope_layers", "no_rope_layer_interval", "moe_layers", "for_llm_compressor", "attn_temperature_tuning"});
    set_each_layer(m, [&](LayerKind& kind, std::int64_t i) {
        kind = {1, chunked(i) ? chunk : 0, chunked(i), dense, 0, 0, 0};
        if ((i + 1) % step != 0) return;
        kind = {1, kind.window, kind.chunked, width, experts, active, width};
    });
}

/// Attention and feed-forward network run side by side, which changes no count.
void read_gpt_neox(ConfigReader& file, LanguageModel& m) {
    read_attention(file, m);
    read_tables(file, m, false);
    m.ffn = file.count("intermediate_size", max_width);
    read_attention_bias(file, m, true);
    m.ffn_bias = true;
    m.layer_norm = true;
}

void read_opt(ConfigReader& file, LanguageModel& m) {
    read_attention(file, m);
    read_tables(file, m, true);
    m.ffn = file.count("ffn_dim", max_width);
    m.embedding_projection = file.count_or("word_embed_proj_dim", max_width, m.hidden);
    m.qkv_bias = m.output_bias = m.ffn_bias = file.flag_or("enable_bias", true);
    m.layer_norm = true;
    m.learned_positions = true;
    file.refuse("_remove_final_layer_norm", "a model without its last norm is not modelled");
}

/// LLaDA has names of its own.
void read_llada(ConfigReader& file, LanguageModel& m) {
    m.attention = Attention::bidirectional;
    m.hidden = file.count("d_model", max_width);
    m.layers = file.count("n_layers", max_layers);
    m.heads = file.count("n_heads", max_heads);
    m.kv_heads = std::max<std::int64_t>(file.count_or("n_kv_heads", max_heads, m.heads), 1);
    m.head_dimension = std::max<std::int64_t>(m.hidden / m.heads, 1);
    m.ffn = file.count("mlp_hidden_size", max_width);
    m.gated = true;
    m.vocabulary = file.count_or("embedding_size", max_width, file.count("vocab_size", max_width));
    m.maximum_context = file.count("max_sequence_length", max_context);
    m.tied_embedding = file.flag_or("weight_tying", true);
    m.embedding_projection = m.hidden;
    m.qkv_bias = file.flag_or("include_qkv_bias", false);
    m.output_bias = m.ffn_bias = file.flag_or("include_bias", false);
    file.ignore({"mlp_ratio", "attention_layer_norm", "layer_norm_type", "layer_norm_with_affine", "block_group_size",
                 "rope_full_precision", "multi_query_attention"});
}

void read_dream(ConfigReader& file, LanguageModel& m) {
    read_qwen2(file, m);
    m.attention = Attention::bidirectional;
}

constexpr std::array families{
    ConfigFamily{"Dream", read_dream},
    ConfigFamily{"deepseek_v2", read_deepseek},
    ConfigFamily{"deepseek_v3", read_deepseek_v3},
    ConfigFamily{"gemma2", read_gemma2},
    ConfigFamily{"gemma3_text", read_gemma3},
    ConfigFamily{"gpt_neox", read_gpt_neox},
    ConfigFamily{"gpt_oss", read_gpt_oss},
    ConfigFamily{"granite", read_llama},
    ConfigFamily{"llada", read_llada},
    ConfigFamily{"llama", read_llama},
    ConfigFamily{"llama4_text", read_llama4},
    ConfigFamily{"mistral", read_windowed},
    ConfigFamily{"mixtral", read_mixtral},
    ConfigFamily{"olmo2", read_olmo2},
    ConfigFamily{"opt", read_opt},
    ConfigFamily{"phi3", read_windowed},
    ConfigFamily{"qwen2", read_qwen2},
    ConfigFamily{"qwen2_moe", read_qwen2_moe},
    ConfigFamily{"qwen3", read_qwen3},
    ConfigFamily{"qwen3_moe", read_qwen3_moe},
};

}  // namespace

std::span<ConfigFamily const> config_readers() { return families; }

}  // namespace pimdse::models
