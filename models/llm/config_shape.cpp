#include "models/llm/config_shape.hpp"

#include "models/llm/limits.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <string>

namespace pimdse::models {
namespace {

/// Keys and values of all heads are computed from one vector.
void read_latent_attention(ConfigValues& values, LanguageModel& m) {
    m.kv_heads = m.heads;
    m.kv_rank = values.number("kv_lora_rank", 1, max_width);
    m.query_rank = values.number("q_lora_rank", 0, max_width);
    m.rope_dimension = values.number("qk_rope_head_dim", 1, max_heads);
    m.head_dimension = values.number("qk_nope_head_dim", 1, max_heads) + m.rope_dimension;
    m.value_dimension = values.number("v_head_dim", 1, max_heads);
    for (auto const* repeated : {"num_key_value_heads", "n_group", "topk_group", "ep_size", "head_dim", "qk_head_dim"})
        values.file().ignore(repeated);
}

void read_heads(ConfigValues& values, LanguageModel& m) {
    m.kv_heads = values.number("num_key_value_heads", 1, max_heads);
    m.head_dimension = values.number("head_dim", 1, max_heads);
    bool const divided = values.given("head_dim") == nullptr && m.head_dimension == m.hidden / m.heads;
    if (divided && m.hidden > 1 && m.hidden % m.heads != 0) {
        auto const heads = values.name_of("num_attention_heads");
        values.file().mistake(heads, fmt::format("{} = {} does not divide hidden_size = {}, and there is no head_dim",
                                                 heads, m.heads, m.hidden));
    }
}

void read_attention(ConfigValues& values, LanguageModel& m) {
    m.attention = values.shape_text("attention") == "causal" ? Attention::causal : Attention::bidirectional;
    m.hidden = values.number("hidden_size", 1, max_width);
    m.layers = values.number("num_hidden_layers", 1, max_layers);
    m.heads = values.number("num_attention_heads", 1, max_heads);
    m.other_layer_parameters = values.of_shape("other_layer_parameters");
    if (values.is_shape("latent"))
        read_latent_attention(values, m);
    else
        read_heads(values, m);
    if (values.is_shape("sinks")) m.other_layer_parameters += m.heads;
    m.qkv_bias = values.is_shape("qkv_bias");
    m.output_bias = values.is_shape("output_bias");
}

/// Factor by which the scaling of rotary positions stretches the context for which a model was made, of `rope_scaling`
/// or `rope_parameters`; of layers that attend to all positions if each type of layers has its own.
double stretch_of(ConfigReader& file, std::int64_t positions) {
    for (auto const* field : {"rope_scaling", "rope_parameters"}) {
        auto const* tables = file.value(field);
        if (tables == nullptr || !tables->is_object()) continue;
        auto const* own = tables->member("full_attention");
        auto const& table = own != nullptr && own->is_object() ? *own : *tables;
        auto const number = [&](char const* key) {
            auto const* value = table.member(key);
            return value != nullptr && value->is_number() ? value->get<double>() : 0.0;
        };
        auto const* kind = table.member("rope_type");
        if (kind == nullptr) kind = table.member("type");
        if (kind == nullptr || !kind->is_string() || number("factor") <= 1.0) continue;
        auto const name = kind->get<std::string>();
        if (name == "linear" || name == "dynamic") return number("factor");
        if (name == "yarn")
            return std::max(
                1.0, number("original_max_position_embeddings") * number("factor") / static_cast<double>(positions));
    }
    return 1.0;
}

void read_tables(ConfigValues& values, LanguageModel& m) {
    m.vocabulary = values.number("vocab_size", 1, max_width);
    auto const positions = values.number("max_position_embeddings", 1, max_context);
    double const stretch = values.is_shape("scaled") ? stretch_of(values.file(), positions) : 1.0;
    m.maximum_context =
        static_cast<std::int64_t>(std::min(std::round(static_cast<double>(positions) * stretch), real_max_context));
    m.tied_embedding = values.flag("tie_word_embeddings");
    m.embedding_projection = values.number("embedding_projection", 1, max_width);
    m.learned_positions = values.shape_text("positions") == "learned";
    m.position_rows = m.learned_positions ? positions + values.of_shape("position_offset") : 0;
    m.head_bias = values.is_shape("head_bias");
    m.layer_vocabulary = values.of_shape("layer_vocabulary");
    m.other_model_parameters = values.of_shape("other_model_parameters");
}

void read_networks(ConfigValues& values, LanguageModel& m) {
    m.gated = values.is_shape("gated");
    m.ffn = values.number("intermediate_size", 1, max_width);
    m.ffn_bias = values.is_shape("ffn_bias");
    m.layer_norm = values.shape_text("norm") == "layer";
    m.layer_norms = values.of_shape("layer_norms");
    m.end_norms = values.of_shape("end_norms");
    m.router_bias = values.is_shape("router_bias");
    m.shared_expert_gate = values.is_shape("shared_gate");
}

/// Whether the condition of an entry of [refused] holds: a field, "FIELD=TEXT" (also one of a list), "FIELD>NUMBER".
bool applies(ConfigReader& file, std::string const& entry, std::size_t sign) {
    if (sign == entry.npos) return true;
    auto const* value = file.value(entry.substr(0, sign));
    auto const operand = entry.substr(sign + 1);
    if (value == nullptr) return false;
    if (entry[sign] == '>') return value->is_number() && value->get<double>() > std::stod(operand);
    auto const is_it = [&](sim::Json const& one) { return one.is_string() && one.get<std::string>() == operand; };
    return value->is_array() ? std::ranges::any_of(*value, is_it) : is_it(*value);
}

}  // namespace

void read_shape(ConfigValues& values, LanguageModel& m) {
    auto const& family = values.family();
    for (auto const& [entry, why] : family.refused)
        if (auto const sign = entry.find_first_of("=>"); applies(values.file(), entry, sign))
            values.file().refuse(entry.substr(0, sign), why);
    for (auto const& [field, why] : family.ignored) values.file().ignore(field);
    read_attention(values, m);
    read_tables(values, m);
    read_networks(values, m);
}

}  // namespace pimdse::models
