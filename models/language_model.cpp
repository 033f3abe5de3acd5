#include "models/files.hpp"
#include "models/toml_file.hpp"
#include "sim/check.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::models {
namespace {

sim::LanguageModel read_model(TableReader& file) {
    sim::LanguageModel m;
    m.name = file.text("name");
    m.source = file.text("source");
    m.published_parameters = file.number("published_parameters");
    m.attention = file.text("attention") == "bidirectional" ? sim::Attention::bidirectional : sim::Attention::causal;
    m.layers = file.integer("layers");
    m.hidden = file.integer("hidden");
    m.heads = file.integer("heads");
    m.kv_heads = file.integer("kv_heads");
    m.head_dimension = file.integer("head_dimension");
    m.ffn = file.integer("ffn");
    m.gated = file.flag("gated");
    m.vocabulary = file.integer("vocabulary");
    m.tied_embedding = file.flag("tied_embedding");
    m.maximum_context = file.integer("maximum_context");
    m.qkv_bias = file.flag("qkv_bias");
    m.output_bias = file.flag("output_bias");
    m.ffn_bias = file.flag("ffn_bias");
    m.layer_norm = file.text("norm") == "layernorm";
    m.learned_positions = file.text("positions") == "learned";
    m.experts = file.integer("experts");
    m.experts_active = file.integer("experts_active");
    m.expert_ffn = file.integer("expert_ffn");
    m.embedding_projection = file.integer("embedding_projection");
    for (auto const* informative : {"family", "note", "activation"}) (void)file.text_or(informative, "");
    return m;
}

void check_shape(sim::LanguageModel const& m, TableReader& file) {
    if (m.layers < 1 || m.hidden < 1 || m.heads < 1 || m.kv_heads < 1 || m.head_dimension < 1 || m.vocabulary < 1) {
        file.mistake("layers", "layers, hidden, heads, kv_heads, head_dimension and vocabulary must be at least 1");
    } else if (m.heads % m.kv_heads != 0) {
        file.mistake("kv_heads", fmt::format("kv_heads = {} does not divide heads = {}", m.kv_heads, m.heads));
    }
    if (m.experts_active > m.experts) {
        file.mistake("experts_active", fmt::format("experts_active = {} exceeds experts = {}", m.experts_active, m.experts));
    }
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

sim::LanguageModel load_language_model(std::string_view name) {
    auto const path = data_directory() / "models" / "llm" / (std::string(name) + ".toml");
    if (!std::filesystem::exists(path)) {
        throw sim::InputError(
            fmt::format("unknown model '{}' (models/llm has no such file).{}", name, sim::suggestion(name, language_model_names())));
    }
    std::vector<std::string> mistakes;
    auto const content = read_toml(path);
    TableReader reader(content, path, mistakes);
    auto const model = read_model(reader);
    if (mistakes.empty()) check_shape(model, reader);
    reader.refuse_unknown_keys();
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return model;
}

}  // namespace pimdse::models
