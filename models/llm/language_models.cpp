#include "models/llm/language_models.hpp"

#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <utility>

namespace pimdse::models {
namespace {

/// Far beyond any existing model, and small enough that every product of them fits 64 bits.
constexpr std::int64_t max_layers = 4096, max_heads = 4096, max_experts = 16384, max_width = 1 << 24;
constexpr std::int64_t max_cached = 1 << 28;
constexpr double max_parameters = 1e14;
constexpr int feed_forward_matrices = 3;  ///< gate, up and down

/// Upper bound of the number of parameters as a double, because the product of the widths may not fit 64 bits yet.
double parameters_at_most(LanguageModel const& m) {
    auto const real = [](std::int64_t n) { return static_cast<double>(n); };
    double const feed_forward = feed_forward_matrices * (real(m.ffn) + real(m.experts) * real(m.expert_ffn));
    double const heads = 2.0 * (real(m.heads) + real(m.kv_heads)) * real(m.head_dimension);
    double const positions = m.learned_positions ? real(m.maximum_context) : 0.0;
    double const tables = 2.0 * real(m.vocabulary) + positions + 2.0 * real(m.embedding_projection);
    return real(m.hidden) * (real(m.layers) * (heads + feed_forward + real(m.experts)) + tables);
}

LanguageModel read_model(TableReader& file) {
    LanguageModel m;
    m.name = file.text("name");
    m.source = file.text("source");
    m.published_parameters = file.number_or("published_parameters", 0.0);
    auto const attention = file.one_of("attention", {"causal", "bidirectional"});
    m.attention = attention == "bidirectional" ? Attention::bidirectional : Attention::causal;
    m.layers = file.count("layers", {1, max_layers});
    m.hidden = file.count("hidden", {1, max_width});
    m.heads = file.count("heads", {1, max_heads});
    m.kv_heads = file.count("kv_heads", {1, max_heads});
    m.head_dimension = file.count("head_dimension", {1, max_heads});
    m.ffn = file.count("ffn", {0, max_width});
    m.gated = file.flag("gated");
    m.vocabulary = file.count("vocabulary", {1, max_width});
    m.tied_embedding = file.flag("tied_embedding");
    m.maximum_context = file.count("maximum_context", {1, std::int64_t{1} << 40});
    m.qkv_bias = file.flag("qkv_bias");
    m.output_bias = file.flag("output_bias");
    m.ffn_bias = file.flag("ffn_bias");
    m.layer_norm = file.one_of("norm", {"rmsnorm", "layernorm"}) == "layernorm";
    m.learned_positions = file.one_of("positions", {"rope", "learned"}) == "learned";
    m.experts = file.count("experts", {0, max_experts});
    m.experts_active = file.count("experts_active", {0, max_experts});
    m.expert_ffn = file.count("expert_ffn", {0, max_width});
    m.embedding_projection = file.count("embedding_projection", {0, max_width});
    for (auto const* informative : {"family", "note", "activation"}) (void)file.text_or(informative, "");
    return m;
}

/// Checks that a layer has a feed-forward part, dense or of experts.
void check_feed_forward(LanguageModel const& m, TableReader& file) {
    if (m.ffn == 0 && m.experts == 0) file.mistake("ffn", "ffn = 0 without experts (a layer needs one of the two)");
    if (m.experts > 0 && m.experts_active == 0)
        file.mistake("experts_active",
                     fmt::format("experts_active = 0 of {} experts (a token uses at least one)", m.experts));
    if (m.experts > 0 && m.expert_ffn == 0)
        file.mistake("expert_ffn",
                     fmt::format("expert_ffn = 0 with {} experts (their width must be above 0)", m.experts));
}

void check_shape(LanguageModel const& m, TableReader& file) {
    if (m.heads % m.kv_heads != 0)
        file.mistake("kv_heads", fmt::format("kv_heads = {} does not divide heads = {}", m.kv_heads, m.heads));
    if (m.layers * m.kv_heads * m.head_dimension > max_cached)
        file.mistake("kv_heads", fmt::format("layers x kv_heads x head_dimension = {} keys per token (at most {})",
                                             m.layers * m.kv_heads * m.head_dimension, max_cached));
    if (double const all = parameters_at_most(m); all > max_parameters)
        file.mistake("hidden",
                     fmt::format("about {:.3g} parameters (at most {:.0e} are supported)", all, max_parameters));
    if (m.experts_active > m.experts) {
        file.mistake("experts_active",
                     fmt::format("experts_active = {} exceeds experts = {}", m.experts_active, m.experts));
    }
    check_feed_forward(m, file);
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

std::filesystem::path file_of(std::string_view name) {
    if (names_own_file(name)) return name;
    auto const path = data_directory() / "models" / "llm" / (std::string(name) + ".toml");
    if (std::error_code none; !std::filesystem::exists(path, none)) {
        throw sim::InputError(fmt::format("unknown model '{}' (models/llm has no such file).{}", sim::clipped(name),
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
    std::vector<std::string> mistakes;
    auto const content = read_toml(path);
    TableReader reader(content, path, mistakes);
    auto const model = read_model(reader);
    if (mistakes.empty()) check_shape(model, reader);
    if (mistakes.empty()) check_total(model, reader);
    reader.refuse_unknown_keys();
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return model;
}

Parameter or_own_model(Parameter parameter) {
    return or_own_file(std::move(parameter), [](std::string const& file) { (void)load_language_model(file); });
}

}  // namespace pimdse::models
