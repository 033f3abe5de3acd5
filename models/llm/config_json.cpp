#include "models/llm/config_json.hpp"

#include "models/llm/config_layers.hpp"
#include "models/llm/config_quantization.hpp"
#include "models/llm/config_reader.hpp"
#include "models/llm/family.hpp"
#include "models/llm/limits.hpp"
#include "models/llm/shape_check.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>

namespace pimdse::models {
namespace {

/// Objects in which files of several models have their text model.
constexpr std::array text_models{"thinker_config", "text_config", "llm_config", "language_config"};

/// The name that most families give a dimension of shape_check.hpp.
std::string_view usual_name(std::string_view dimension) {
    constexpr std::array<std::array<std::string_view, 2>, 6> names{{{"kv_heads", "num_key_value_heads"},
                                                                    {"expert_inputs", "moe_latent_size"},
                                                                    {"experts_active", "num_experts_per_tok"},
                                                                    {"expert_ffn", "moe_intermediate_size"},
                                                                    {"ffn", "intermediate_size"},
                                                                    {"hidden", "hidden_size"}}};
    auto const found = std::ranges::find(names, dimension, [](auto const& pair) { return pair[0]; });
    return found == names.end() ? dimension : (*found)[1];
}

/// "qwen3moe" of "Qwen3MoeForCausalLM" and of "qwen3_moe", "longcat" of "LongcatCausalLM".
std::string plain_name(std::string_view name) {
    std::string plain;
    for (char const c : name.substr(0, std::min(name.find("For"), name.find("CausalLM"))))
        if (c != '_' && c != '-') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return plain;
}

/// The family that `architectures` names; "" if it names none.
std::string family_of_class(ConfigReader& file) {
    auto const classes = file.texts("architectures");
    if (classes.empty()) return "";
    auto const names = family_names();
    auto const found = std::ranges::find(names, plain_name(classes.front()), plain_name);
    return found == names.end() ? "" : *found;
}

std::shared_ptr<ConfigFamily const> family_named(ConfigReader& file, ConfigReader& around) {
    auto name = file.text_or("model_type", "");
    if (find_family(name) == nullptr) {
        auto of_class = family_of_class(file);
        if (auto const family = find_family(of_class); family != nullptr && name == family->other_type)
            name = std::move(of_class);
    }
    if (name.empty()) name = around.text_or("model_type", "");
    if (name.empty()) name = family_of_class(around);
    auto family = find_family(name);
    if (family != nullptr) return family;
    constexpr std::string_view list = "pimdse list families prints those that are read";
    file.mistake("model_type",
                 name.empty() ? fmt::format("'model_type' is missing, and 'architectures' names no family (add the "
                                            "model_type of the whole file; {})",
                                            list)
                              : fmt::format("model_type = \"{}\" is not supported ({})", sim::clipped(name), list));
    return nullptr;
}

/// Says what of a file with several models is read, and what is not counted.
void remark_wrapper(ConfigReader& around, std::vector<std::string> const& path, std::vector<std::string>& remarks) {
    std::vector<std::string> others;
    for (auto const& name : around.names())
        if (name.ends_with("_config") && around.value(name)->is_object() && name != path.front() &&
            name.find("quantization") == name.npos && name.find("compression") == name.npos &&
            name.find("generation") == name.npos)
            others.push_back(name);
    remarks.push_back(
        fmt::format("read by its {}{}", fmt::join(path, "."),
                    others.empty() ? std::string() : fmt::format("; not counted: {}", fmt::join(others, ", "))));
}

void remark_family(ConfigValues& values, std::vector<std::string>& remarks) {
    for (auto const& [field, why] : values.family().noted) {
        if (values.file().is_on(field)) remarks.push_back(fmt::format("{}: {}", field, why));
        values.file().ignore(field);
    }
    if (!values.by_family().empty())
        remarks.push_back(fmt::format("not in the file, so as {} has it: {}", values.family().source,
                                      fmt::join(values.by_family(), ", ")));
}

void read_text_model(ConfigReader& file, ConfigReader& around, LanguageModel& m) {
    auto const family = family_named(file, around);
    if (family == nullptr) return;
    for (auto const* field : {"model_type", "architectures"}) file.ignore(field);
    ConfigValues values(file, around, *family);
    read_shape(values, m);
    auto layers = read_layers(values, m);
    remark_family(values, m.remarks);
    read_quantization(file, around, *family, m, layers);
    set_layers(m, layers);
    finish_layers(m);
    file.refuse_unknown_shapes();
}

/// Keys and values of all heads are computed from one vector.
void read_latent_attention(ConfigValues& values, LanguageModel& m) {
    m.kv_heads = m.heads;
    m.kv_rank = values.number("kv_lora_rank", 1, max_width);
    m.query_rank = values.number("q_lora_rank", 0, max_width);
    m.rope_dimension = values.number("qk_rope_head_dim", 0, max_heads);
    m.head_dimension = values.number("qk_nope_head_dim", 1, max_heads) + m.rope_dimension;
    m.value_dimension = values.number("v_head_dim", 1, max_heads);
}

void read_heads(ConfigValues& values, LanguageModel& m) {
    m.kv_heads = values.number("num_key_value_heads", 1, max_heads);
    m.head_dimension = values.number("head_dim", 1, max_heads);
    m.value_dimension = values.of_shape("value_dimension", 1, max_heads);
    m.query_rank = values.of_shape("query_rank");
    m.output_groups = values.of_shape("output_groups");
    m.output_rank = values.of_shape("output_rank");
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
    m.residual_streams = std::max<std::int64_t>(1, values.of_shape("residual_streams", 1, max_heads));
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
        if (name.ends_with("yarn"))  // of DeepSeek and TeleChat3 also by their names
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
    m.unread_parameters = values.of_shape("unread_parameters");
    m.other_model_parameters = values.of_shape("other_model_parameters") + m.unread_parameters;
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
    auto const field = entry.substr(0, sign), operand = entry.substr(sign + 1);
    if (entry[sign] == '=') return file.says(field, operand);
    auto const* value = file.value(field);
    return value != nullptr && value->is_number() && value->get<double>() > std::stod(operand);
}

}  // namespace

LanguageModel read_config_json(std::filesystem::path const& file) {
    std::vector<std::string> mistakes;
    ConfigReader around(file, mistakes);
    LanguageModel m;
    m.source = file.string();
    m.name = around.text_or("_name_or_path", "");
    if (m.name.empty()) m.name = file.string();
    std::vector<std::string> path;
    std::optional<ConfigReader> text;
    for (auto const* field : text_models) {
        auto& outer = text ? *text : around;
        if (auto const* inner = outer.value(field); inner == nullptr || !inner->is_object() || inner->empty()) continue;
        path.emplace_back(field);
        text.emplace(outer.inside(field));
    }
    if (!path.empty()) remark_wrapper(around, path, m.remarks);
    auto& own = text ? *text : around;
    read_text_model(own, around, m);
    if (mistakes.empty())
        for (auto const& [field, sentence] : shape_mistakes(m)) own.mistake(usual_name(field), sentence);
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return m;
}

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
