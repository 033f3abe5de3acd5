#include "models/llm/config_json.hpp"

#include "models/llm/config_reader.hpp"
#include "models/llm/limits.hpp"
#include "models/llm/shape_check.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <utility>

namespace pimdse::models {
namespace {

/// Fields that change no shape but have names like those that do.
void ignore_harmless(ConfigReader& file) {
    file.ignore({"model_type",
                 "architectures",
                 "hidden_act",
                 "activation_function",
                 "hidden_dropout",
                 "hidden_dropout_prob",
                 "num_beams",
                 "layer_norm_eps",
                 "layernorm_epsilon",
                 "layer_norm_epsilon",
                 "layerdrop",
                 "embd_pdrop",
                 "output_hidden_states",
                 "output_router_logits",
                 "router_aux_loss_coef",
                 "router_jitter_noise",
                 "norm_topk_prob",
                 "num_return_sequences",
                 "init_device",
                 "classifier_dropout",
                 "logits_scaling",
                 "attention_multiplier",
                 "residual_multiplier",
                 "embedding_multiplier",
                 "original_max_position_embeddings",
                 "num_labels",
                 "bos_token_id",
                 "max_window_layers"});
}

/// The attention of llama and its descendants. A head is hidden / heads wide unless the file says otherwise.
void read_attention(ConfigReader& file, LanguageModel& m) {
    m.hidden = file.count("hidden_size", max_width);
    m.layers = file.count("num_hidden_layers", max_layers);
    m.heads = file.count("num_attention_heads", max_heads);
    m.kv_heads = file.count_or("num_key_value_heads", max_heads, m.heads);
    if (m.kv_heads == 0) file.mistake("num_key_value_heads", "num_key_value_heads = 0 (at least one head has keys)");
    m.kv_heads = std::max<std::int64_t>(m.kv_heads, 1);
    m.head_dimension = file.count_or("head_dim", max_heads, 0);
    if (m.head_dimension != 0) return;
    if (m.hidden % m.heads != 0)
        file.mistake("num_attention_heads",
                     fmt::format("num_attention_heads = {} does not divide hidden_size = {}, and "
                                 "there is no head_dim",
                                 m.heads, m.hidden));
    m.head_dimension = std::max<std::int64_t>(m.hidden / m.heads, 1);
}

void read_tables(ConfigReader& file, LanguageModel& m, bool tied) {
    m.vocabulary = file.count("vocab_size", max_width);
    m.maximum_context = file.count("max_position_embeddings", max_context);
    m.tied_embedding = file.flag_or("tie_word_embeddings", tied);
    m.embedding_projection = m.hidden;
}

/// A window that ends within the context is not modelled.
void refuse_window(ConfigReader& file, LanguageModel const& m) {
    auto const window = file.count_or("sliding_window", max_context, 0);
    if (window > 0 && window < m.maximum_context)
        file.mistake(
            "sliding_window",
            fmt::format("sliding_window = {} is shorter than max_position_embeddings = {} (attention that ends "
                        "at a window is not modelled)",
                        window, m.maximum_context));
}

/// Attention, tables and a gated feed-forward network: llama and its descendants.
void read_gated(ConfigReader& file, LanguageModel& m) {
    read_attention(file, m);
    read_tables(file, m, false);
    m.ffn = file.count("intermediate_size", max_width);
    m.gated = true;
}

void read_llama(ConfigReader& file, LanguageModel& m) {
    read_gated(file, m);
    m.qkv_bias = m.output_bias = file.flag_or("attention_bias", false);
    m.ffn_bias = file.flag_or("mlp_bias", false);
}

void read_mistral(ConfigReader& file, LanguageModel& m) {
    read_gated(file, m);
    refuse_window(file, m);
}

/// Every layer has experts as wide as `intermediate_size`, and nothing else.
void read_mixtral(ConfigReader& file, LanguageModel& m) {
    read_mistral(file, m);
    m.expert_ffn = std::exchange(m.ffn, 0);
    m.experts = file.count("num_local_experts", max_experts);
    m.experts_active = file.count("num_experts_per_tok", max_experts);
}

/// The window of these files counts only with `use_sliding_window`.
void read_window_switch(ConfigReader& file, LanguageModel const& m) {
    if (file.flag_or("use_sliding_window", false)) refuse_window(file, m);
    file.ignore({"sliding_window"});
}

void read_qwen2(ConfigReader& file, LanguageModel& m) {
    read_gated(file, m);
    m.qkv_bias = true;
    read_window_switch(file, m);
}

/// Queries and keys are normalised, with one scale for all heads.
void read_qwen3(ConfigReader& file, LanguageModel& m) {
    read_gated(file, m);
    m.qkv_bias = m.output_bias = file.flag_or("attention_bias", false);
    m.other_layer_parameters = 2 * m.head_dimension;
    read_window_switch(file, m);
}

/// Experts in every layer, in place of the dense network.
void read_sparse_layers(ConfigReader& file, LanguageModel& m) {
    m.ffn = 0;
    m.expert_ffn = file.count("moe_intermediate_size", max_width);
    m.experts = file.count("num_experts", max_experts);
    m.experts_active = file.count("num_experts_per_tok", max_experts);
    file.refuse("decoder_sparse_step", "layers without experts between layers with experts are not modelled", 1);
    file.refuse("mlp_only_layers", "layers without experts between layers with experts are not modelled");
}

/// All tokens use the shared expert, which has a gate of its own.
void read_qwen2_moe(ConfigReader& file, LanguageModel& m) {
    read_qwen2(file, m);
    read_sparse_layers(file, m);
    m.ffn = file.count("shared_expert_intermediate_size", max_width);
    m.other_layer_parameters = m.hidden;
}

void read_qwen3_moe(ConfigReader& file, LanguageModel& m) {
    read_qwen3(file, m);
    read_sparse_layers(file, m);
}

void read_phi3(ConfigReader& file, LanguageModel& m) {
    read_gated(file, m);
    refuse_window(file, m);
}

/// Queries and keys are normalised over all heads together.
void read_olmo2(ConfigReader& file, LanguageModel& m) {
    read_llama(file, m);
    m.other_layer_parameters = m.query_width() + m.kv_width();
}

/// Attention and feed-forward network run side by side, which changes no count.
void read_gpt_neox(ConfigReader& file, LanguageModel& m) {
    read_attention(file, m);
    read_tables(file, m, false);
    m.ffn = file.count("intermediate_size", max_width);
    m.qkv_bias = m.output_bias = file.flag_or("attention_bias", true);
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

struct Family {
    std::string_view name;
    void (*read)(ConfigReader&, LanguageModel&);
};
constexpr std::array families{
    Family{"Dream", read_dream},     Family{"gpt_neox", read_gpt_neox},   Family{"granite", read_llama},
    Family{"llada", read_llada},     Family{"llama", read_llama},         Family{"mistral", read_mistral},
    Family{"mixtral", read_mixtral}, Family{"olmo2", read_olmo2},         Family{"opt", read_opt},
    Family{"phi3", read_phi3},       Family{"qwen2", read_qwen2},         Family{"qwen2_moe", read_qwen2_moe},
    Family{"qwen3", read_qwen3},     Family{"qwen3_moe", read_qwen3_moe},
};

/// The name that most families give a dimension of shape_check.hpp.
std::string_view usual_name(std::string_view dimension) {
    constexpr std::array<std::array<std::string_view, 2>, 5> names{{{"kv_heads", "num_key_value_heads"},
                                                                    {"experts_active", "num_experts_per_tok"},
                                                                    {"expert_ffn", "moe_intermediate_size"},
                                                                    {"ffn", "intermediate_size"},
                                                                    {"hidden", "hidden_size"}}};
    auto const found = std::ranges::find(names, dimension, [](auto const& pair) { return pair[0]; });
    return found == names.end() ? dimension : (*found)[1];
}

Family const* family_named(ConfigReader& file) {
    auto const name = file.text_or("model_type", "");
    auto const found = std::ranges::find(families, name, &Family::name);
    if (found != families.end()) return &*found;
    file.mistake("model_type",
                 name.empty()
                     ? fmt::format("'model_type' is missing (one of {})", fmt::join(config_families(), ", "))
                     : fmt::format("model_type = \"{}\" is not supported (these are: {}).{}", sim::clipped(name),
                                   fmt::join(config_families(), ", "), sim::suggestion(name, config_families())));
    return nullptr;
}

}  // namespace

std::vector<std::string> config_families() {
    std::vector<std::string> names;
    for (auto const& family : families) names.emplace_back(family.name);
    return names;
}

LanguageModel read_config_json(std::filesystem::path const& file) {
    std::vector<std::string> mistakes;
    ConfigReader reader(file, mistakes);
    LanguageModel m;
    if (auto const* family = family_named(reader)) {
        ignore_harmless(reader);
        reader.refuse("quantization_config",
                      "the format of the weights is a parameter of the machine (take the field out, and set it there)");
        family->read(reader, m);
        m.name = reader.text_or("_name_or_path", file.string());
        m.source = file.string();
        reader.refuse_unknown_shapes();
        if (mistakes.empty())
            for (auto const& [field, sentence] : shape_mistakes(m)) reader.mistake(usual_name(field), sentence);
    }
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return m;
}

}  // namespace pimdse::models
