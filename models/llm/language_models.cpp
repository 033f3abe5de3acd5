#include "models/llm/language_models.hpp"

#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "models/llm/config_json.hpp"
#include "models/llm/limits.hpp"
#include "models/llm/shape_check.hpp"
#include "models/llm/tensor_model.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace pimdse::models {
namespace {

/// A count that may be absent: 0 then.
std::int64_t count_or_none(TableReader& file, std::string_view key, std::int64_t most) {
    return file.node(key) == nullptr ? 0 : file.count(key, {0, most});
}

LayerKind read_kind(TableReader& file) {
    LayerKind kind;
    kind.layers = file.count("layers", {1, max_layers});
    kind.window = count_or_none(file, "window", max_context);
    kind.chunked = file.flag_or("chunked", false);
    kind.ffn = file.count("ffn", {0, max_width});
    kind.experts = file.count("experts", {0, max_experts});
    kind.experts_active = file.count("experts_active", {0, max_experts});
    kind.expert_ffn = file.count("expert_ffn", {0, max_width});
    return kind;
}

/// The kinds of layers: a table [[layer_kind]] for each, or the keys of one at the top.
std::vector<LayerKind> read_kinds(TableReader& file, std::filesystem::path const& path,
                                  std::vector<std::string>& mistakes) {
    auto const* node = file.node("layer_kind");
    if (node == nullptr) return {read_kind(file)};
    for (auto const* key : {"layers", "window", "chunked", "ffn", "experts", "experts_active", "expert_ffn"})
        if (file.node(key) != nullptr)
            file.mistake(key,
                         fmt::format("'{}' is given beside [[layer_kind]] (each of these tables has its own)", key));
    std::vector<LayerKind> kinds;
    auto const* tables = node->as_array();
    if (tables == nullptr || tables->empty() || !tables->is_array_of_tables()) {
        file.mistake("layer_kind", "layer_kind must be tables, [[layer_kind]]");
        return {LayerKind{1}};
    }
    for (auto const& table : *tables) {
        TableReader reader(*table.as_table(), path, mistakes);
        kinds.push_back(read_kind(reader));
        reader.refuse_unknown_keys();
    }
    return kinds;
}

void read_latent_attention(TableReader& file, LanguageModel& m) {
    m.kv_rank = count_or_none(file, "kv_rank", max_width);
    m.query_rank = count_or_none(file, "query_rank", max_width);
    m.rope_dimension = count_or_none(file, "rope_dimension", max_heads);
    m.value_dimension = count_or_none(file, "value_dimension", max_heads);
}

LanguageModel read_model(TableReader& file) {
    LanguageModel m;
    m.name = file.text("name");
    m.source = file.text("source");
    m.published_parameters = file.number_or("published_parameters", 0.0);
    m.published_active = file.number_or("published_active", 0.0);
    auto const attention = file.one_of("attention", {"causal", "bidirectional"});
    m.attention = attention == "bidirectional" ? Attention::bidirectional : Attention::causal;
    m.hidden = file.count("hidden", {1, max_width});
    m.heads = file.count("heads", {1, max_heads});
    m.kv_heads = file.count("kv_heads", {1, max_heads});
    m.head_dimension = file.count("head_dimension", {1, max_heads});
    m.gated = file.flag("gated");
    m.vocabulary = file.count("vocabulary", {1, max_width});
    m.tied_embedding = file.flag("tied_embedding");
    m.maximum_context = file.count("maximum_context", {1, max_context});
    m.qkv_bias = file.flag("qkv_bias");
    m.output_bias = file.flag("output_bias");
    m.ffn_bias = file.flag("ffn_bias");
    m.layer_norm = file.one_of("norm", {"rmsnorm", "layernorm"}) == "layernorm";
    m.learned_positions = file.one_of("positions", {"rope", "learned"}) == "learned";
    if (m.learned_positions) m.position_rows = m.maximum_context + 2;  // OPT begins to count at 2
    m.embedding_projection = file.count("embedding_projection", {0, max_width});
    m.other_layer_parameters = count_or_none(file, "other_layer_parameters", max_width);
    m.router_bias = file.flag_or("router_bias", false);
    m.expert_bias = file.flag_or("expert_bias", false);
    m.shared_expert_gate = file.flag_or("shared_expert_gate", false);
    read_latent_attention(file, m);
    for (auto const* informative : {"family", "note", "activation"}) (void)file.text_or(informative, "");
    return m;
}

/// Checks the dimensions against the total that the authors state.
void check_total(LanguageModel const& m, TableReader& file) {
    constexpr int agreeing_parts = 100;  ///< the two may differ by one part in this number
    if (file.node("published_parameters") == nullptr) return;
    auto const counted = static_cast<double>(total_parameters(m));
    if (agreeing_parts * std::abs(counted - m.published_parameters) <= m.published_parameters) return;
    file.mistake("published_parameters",
                 fmt::format("published_parameters = {:.6g}, but the dimensions of this file give {:.6g} (they must "
                             "agree within 1 %; correct a dimension, or leave published_parameters out)",
                             m.published_parameters, counted));
}

/// A model in one of the forms in which models are published; nothing for a file of models/llm.
std::optional<LanguageModel> read_published(std::filesystem::path const& path) {
    std::error_code error;
    auto const ending = path.extension();
    if (std::filesystem::is_directory(path, error)) return read_model_folder(path);
    if (ending == ".gguf") return read_gguf_model(path);
    if (ending == ".safetensors" || path.native().ends_with(".index.json")) return read_safetensors_model(path);
    if (ending == ".json") return read_config_json(path);
    return std::nullopt;
}

std::filesystem::path file_of(std::string_view name) {
    if (names_own_file(name)) return name;
    auto const path = data_directory() / "models" / "llm" / (std::string(name) + ".toml");
    if (std::error_code none; !std::filesystem::exists(path, none)) {
        throw sim::InputError(fmt::format("unknown model '{}' (pimdse list models prints all).{}", sim::clipped(name),
                                          sim::suggestion(name, language_model_names())));
    }
    return path;
}

}  // namespace

std::vector<std::string> language_model_names() {
    std::vector<std::string> names;
    for (auto const& entry : std::filesystem::directory_iterator(data_directory() / "models" / "llm")) {
        if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

LanguageModel load_language_model(std::string_view name) {
    auto const path = file_of(name);
    if (auto own = read_published(path)) return *own;
    std::vector<std::string> mistakes;
    auto const read = read_toml(path);
    auto const& content = *read;
    TableReader reader(content, path, mistakes);
    auto model = read_model(reader);
    set_layers(model, read_kinds(reader, path, mistakes));
    finish_layers(model);
    if (mistakes.empty())
        for (auto const& [field, sentence] : shape_mistakes(model)) reader.mistake(field, sentence);
    if (mistakes.empty()) check_total(model, reader);
    reader.refuse_unknown_keys();
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return model;
}

Parameter or_own_model(Parameter parameter) {
    return or_own_file(
        std::move(parameter), [](std::string const& file) { (void)load_language_model(file); },
        {".toml", ".json", ".gguf", ".safetensors", "/"}, "pimdse list models");
}

}  // namespace pimdse::models
