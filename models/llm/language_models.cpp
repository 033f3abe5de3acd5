#include "models/llm/language_models.hpp"

#include "models/contract/parameter_text.hpp"
#include "models/contract/read_once.hpp"
#include "models/contract/toml_file.hpp"
#include "models/llm/config_json.hpp"
#include "models/llm/config_quantization.hpp"
#include "models/llm/config_reader.hpp"
#include "models/llm/family.hpp"
#include "models/llm/limits.hpp"
#include "models/llm/shape_check.hpp"
#include "models/llm/state.hpp"
#include "models/llm/tensor_model.hpp"
#include "sim/base/check.hpp"
#include "sim/base/memo.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <utility>

namespace pimdse::models {
namespace {

constexpr std::int64_t max_other_parameters = std::int64_t{1} << 40;

/// A count that may be absent: 0 then.
std::int64_t count_or_none(TableReader& file, std::string_view key, std::int64_t most) {
    return file.node(key) == nullptr ? 0 : file.count(key, {0, most});
}

/// Keys of the layers of a kind, which stand at the top of a file whose layers are all alike.
constexpr std::array kind_keys{"layers",           "window",           "chunked",       "ffn",        "experts",
                               "experts_active",   "expert_ffn",       "expert_inputs", "attends",    "shares_keys",
                               "values_from_keys", "output_gate",      "indexer",       "state",      "layer_embedding",
                               "matrices",         "other_parameters", "weight_sets",   "one_vector", "compression"};

/// A table of its own for a part of a layer; `read` gets a reader of it.
void read_part(TableReader& file, std::string_view key, std::filesystem::path const& path,
               std::vector<std::string>& mistakes, std::function<void(TableReader&)> const& read) {
    auto const* node = file.node(key);
    if (node == nullptr) return;
    if (!node->is_table()) {
        file.mistake(key, fmt::format("{} must be a table, {} = {{ ... }}", key, key));
        return;
    }
    TableReader part(*node->as_table(), path, mistakes);
    read(part);
    part.refuse_unknown_keys();
}

void read_state(TableReader& file, StateMixer& s) {
    std::vector<std::string> names;
    for (auto kind = 1; kind <= static_cast<int>(StateKind::convolution); ++kind)
        names.emplace_back(name_of(static_cast<StateKind>(kind)));
    auto const name = file.one_of("kind", names);
    s.kind = static_cast<StateKind>(std::ranges::find(names, name) - names.begin() + 1);
    s.heads = file.count("heads", {1, max_width});
    s.key_heads = count_or_none(file, "key_heads", max_width);
    s.key_dimension = count_or_none(file, "key_dimension", max_heads);
    s.value_dimension = file.count("value_dimension", {1, max_heads});
    s.convolution = count_or_none(file, "convolution", max_heads);
    s.rank = count_or_none(file, "rank", max_width);
    s.gate_rank = file.node("gate_rank") == nullptr ? s.rank : count_or_none(file, "gate_rank", max_width);
    if (file.node("chunk") != nullptr) s.chunk = file.count("chunk", {1, max_width});
}

std::vector<WeightMatrix> read_matrices(TableReader& file, std::filesystem::path const& path,
                                        std::vector<std::string>& mistakes) {
    std::vector<WeightMatrix> matrices;
    auto const* node = file.node("matrices");
    if (node == nullptr) return matrices;
    auto const* list = node->as_array();
    if (list == nullptr || list->empty() || !list->is_array_of_tables()) {
        file.mistake("matrices", "matrices must be tables, [{ name = \"...\", inputs = ..., outputs = ... }]");
        return matrices;
    }
    for (auto const& table : *list) {
        TableReader reader(*table.as_table(), path, mistakes);
        auto const name = reader.text("name");
        auto const inputs = reader.count("inputs", {1, max_width});
        matrices.push_back({name, inputs, reader.count("outputs", {1, max_width})});
        reader.refuse_unknown_keys();
    }
    return matrices;
}

LayerKind read_kind(TableReader& file, std::filesystem::path const& path, std::vector<std::string>& mistakes) {
    LayerKind kind;
    kind.layers = file.count("layers", {1, max_layers});
    kind.window = count_or_none(file, "window", max_context);
    kind.chunked = file.flag_or("chunked", false);
    kind.ffn = file.count("ffn", {0, max_width});
    kind.experts = count_or_none(file, "experts", max_experts);
    kind.experts_active = count_or_none(file, "experts_active", max_experts);
    kind.expert_ffn = count_or_none(file, "expert_ffn", max_width);
    kind.expert_inputs = count_or_none(file, "expert_inputs", max_width);
    kind.attends = file.flag_or("attends", true);
    kind.shares_keys = file.flag_or("shares_keys", false);
    kind.values_from_keys = file.flag_or("values_from_keys", false);
    kind.one_vector = file.flag_or("one_vector", false);
    kind.values_from_keys = kind.values_from_keys || kind.one_vector;
    kind.compression = count_or_none(file, "compression", max_context);
    kind.output_gate = file.flag_or("output_gate", false);
    read_part(file, "indexer", path, mistakes, [&](TableReader& part) {
        kind.indexer.heads = count_or_none(part, "heads", max_heads);
        kind.indexer.dimension = count_or_none(part, "dimension", max_heads);
        kind.indexer.positions = part.count("positions", {1, max_context});
        if (part.node("pool") != nullptr) kind.indexer.pool = part.count("pool", {1, max_context});
        kind.indexer.weighted = part.flag_or("weighted", true);
    });
    read_part(file, "state", path, mistakes, [&](TableReader& part) { read_state(part, kind.state); });
    kind.layer_embedding = count_or_none(file, "layer_embedding", max_width);
    kind.matrices = read_matrices(file, path, mistakes);
    kind.other_parameters = count_or_none(file, "other_parameters", max_width);
    kind.weight_sets = count_or_none(file, "weight_sets", max_layers);
    return kind;
}

/// The kinds of layers in their order: `pattern` has the numbers of the tables, from 1, and is repeated; otherwise the
/// layers of a table follow each other.
std::vector<LayerKind> in_order(std::vector<LayerKind> const& kinds, TableReader& file) {
    auto const* node = file.node("pattern");
    if (node == nullptr) return kinds;
    std::vector<std::int64_t> pattern;
    auto const* list = node->as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        auto const number = (*list)[i].value_exact<std::int64_t>().value_or(0);
        if (number < 1 || number > static_cast<std::int64_t>(kinds.size())) list = nullptr;
        pattern.push_back(number - 1);
    }
    if (list == nullptr || pattern.empty()) {
        file.mistake("pattern",
                     fmt::format("pattern must be a list of numbers of [[layer_kind]] tables, 1 to {}", kinds.size()));
        return kinds;
    }
    auto const layers = repeated(kinds, pattern);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        std::int64_t given = 0;
        for (std::size_t i = 0; i < layers.size(); ++i)
            given += pattern[i % pattern.size()] == static_cast<std::int64_t>(k) ? 1 : 0;
        if (given == kinds[k].layers) continue;
        file.mistake("pattern", fmt::format("pattern gives {} layers of table {}, which says layers = {}", given, k + 1,
                                            kinds[k].layers));
        return kinds;
    }
    return layers;
}

/// The kinds of layers: a table [[layer_kind]] for each, or the keys of one at the top.
std::vector<LayerKind> read_kinds(TableReader& file, std::filesystem::path const& path,
                                  std::vector<std::string>& mistakes) {
    auto const* node = file.node("layer_kind");
    if (node == nullptr) return {read_kind(file, path, mistakes)};
    for (auto const* key : kind_keys)
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
        kinds.push_back(read_kind(reader, path, mistakes));
        kinds.back().heads = count_or_none(reader, "heads", max_heads);
        kinds.back().kv_heads = count_or_none(reader, "kv_heads", max_heads);
        kinds.back().head_dimension = count_or_none(reader, "head_dimension", max_heads);
        kinds.back().value_dimension = count_or_none(reader, "value_dimension", max_heads);
        reader.refuse_unknown_keys();
    }
    return in_order(kinds, file);
}

/// The formats of the published checkpoint: the object of this name of its config.json as a table. Modules are named as
/// in the family of its `model_type`.
void read_formats(TableReader& file, std::filesystem::path const& path, std::vector<std::string>& mistakes,
                  LanguageModel& m, std::vector<LayerKind>& layers) {
    constexpr std::string_view key = "quantization_config";
    auto const* node = file.node(key);
    if (node == nullptr) return (void)file.text_or("model_type", "");
    if (file.node("model_type") == nullptr)
        return file.mistake("model_type",
                            fmt::format("'model_type' is missing beside {} (the family whose names of modules it has: "
                                        "pimdse list families)",
                                        key));
    auto const type = file.text("model_type");
    if (type.empty()) return;
    auto const family = find_family(type);
    if (family == nullptr)
        return file.mistake("model_type", fmt::format("'{}' names no family of modules (pimdse list families).{}",
                                                      sim::clipped(type), sim::suggestion(type, family_names())));
    if (!node->is_table()) return file.mistake(key, fmt::format("{} must be a table, [{}]", key, key));
    std::vector<LayerKind> one_by_one;
    for (auto const& kind : layers) {
        one_by_one.insert(one_by_one.end(), static_cast<std::size_t>(kind.layers), kind);
        for (auto& layer : std::span(one_by_one).last(static_cast<std::size_t>(kind.layers))) layer.layers = 1;
    }
    layers = std::move(one_by_one);
    ConfigReader reader(path, sim::Json{{std::string(key), json_of(*node)}}, mistakes, node->source().begin.line);
    read_quantization(reader, reader, *family, m, layers);
}

void read_latent_attention(TableReader& file, LanguageModel& m) {
    m.kv_rank = count_or_none(file, "kv_rank", max_width);
    m.query_rank = count_or_none(file, "query_rank", max_width);
    m.rope_dimension = count_or_none(file, "rope_dimension", max_heads);
    m.value_dimension = count_or_none(file, "value_dimension", max_heads);
    m.output_groups = count_or_none(file, "output_groups", max_heads);
    m.output_rank = count_or_none(file, "output_rank", max_width);
    if (file.node("residual_streams") != nullptr) m.residual_streams = file.count("residual_streams", {1, max_heads});
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
    m.borrowed_tables = file.flag_or("borrowed_tables", false);
    m.maximum_context = file.count("maximum_context", {1, max_context});
    m.qkv_bias = file.flag("qkv_bias");
    m.output_bias = file.flag("output_bias");
    m.ffn_bias = file.flag("ffn_bias");
    m.layer_norm = file.one_of("norm", {"rmsnorm", "layernorm"}) == "layernorm";
    m.learned_positions = file.one_of("positions", {"rope", "learned"}) == "learned";
    if (m.learned_positions) m.position_rows = m.maximum_context + 2;  // OPT begins to count at 2
    m.embedding_projection = file.count("embedding_projection", {0, max_width});
    m.other_layer_parameters = count_or_none(file, "other_layer_parameters", max_width);
    m.other_expert_parameters = count_or_none(file, "other_expert_parameters", max_width);
    m.other_model_parameters = count_or_none(file, "other_model_parameters", max_other_parameters);
    m.unread_parameters = count_or_none(file, "unread_parameters", m.other_model_parameters);
    m.layer_vocabulary = count_or_none(file, "layer_vocabulary", max_width);
    if (file.node("state_bits") != nullptr) m.state_bits = file.count("state_bits", {8, 64});
    m.router_bias = file.flag_or("router_bias", false);
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
        throw sim::InputError("unknown model '{}' (pimdse list models prints all).{}", sim::clipped(name),
                              sim::suggestion(name, language_model_names()));
    }
    return path;
}

LanguageModel model_in(toml::table const& content, std::filesystem::path const& path) {
    std::vector<std::string> mistakes;
    TableReader reader(content, path, mistakes);
    auto model = read_model(reader);
    auto layers = read_kinds(reader, path, mistakes);
    read_formats(reader, path, mistakes, model, layers);
    set_layers(model, layers);
    finish_layers(model);
    if (mistakes.empty())
        for (auto const& [field, sentence] : shape_mistakes(model)) reader.mistake(field, sentence);
    if (mistakes.empty()) check_total(model, reader);
    reader.refuse_unknown_keys();
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return model;
}

}  // namespace

std::vector<std::string> language_model_names() {
    // The folder is read once: tables of parameters are made again and again.
    static auto const all = [] {
        std::vector<std::string> names;
        for (auto const& entry : std::filesystem::directory_iterator(data_directory() / "models" / "llm"))
            if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
        std::ranges::sort(names);
        return names;
    }();
    return all;
}

LanguageModel load_language_model(std::string_view name) {
    auto const path = file_of(name);
    if (auto own = read_published(path)) return *own;
    return *read_once<LanguageModel>(
        path, [](toml::table const& content, std::filesystem::path const& file) { return model_in(content, file); });
}

std::shared_ptr<LanguageModel const> shared_language_model(std::string const& name) {
    static sim::Memo<std::string, std::shared_ptr<LanguageModel const>> const shipped;
    auto const read = [](std::string const& of) {
        return std::make_shared<LanguageModel const>(load_language_model(of));
    };
    return names_own_file(name) ? read(name) : shipped.get(name, read);
}

std::optional<std::pair<std::string, std::string>> implied_generation(std::string const& model) {
    if (shared_language_model(model)->attention != Attention::bidirectional) return std::nullopt;
    return std::pair{"generation", "diffusion"};
}

Parameter or_own_model(Parameter parameter) {
    return or_own_file(
        std::move(parameter), [](std::string const& file) { (void)load_language_model(file); },
        {".toml", ".json", ".gguf", ".safetensors", "/"}, "pimdse list models");
}

}  // namespace pimdse::models
