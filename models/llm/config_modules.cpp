#include "models/llm/config_modules.hpp"

#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace pimdse::models {
namespace {

/// What a module is, by its last word that is known: what it keeps of a WeightFormat; nothing for parts that are never
/// converted.
using Kept = std::vector<std::string>;

std::map<std::string_view, Kept> const& known_modules() {
    static std::map<std::string_view, Kept> const known{{"lm_head", {"lm_head"}},
                                                        {"embed_out", {"lm_head"}},
                                                        {"embed_tokens", {}},
                                                        {"wte", {}},
                                                        {"gate", {}},
                                                        {"router", {}},
                                                        {"shared_expert_gate", {}},
                                                        {"visual", {}},
                                                        {"vision_model", {}},
                                                        {"vision_tower", {}},
                                                        {"multi_modal_projector", {}},
                                                        {"rotary_emb", {}},
                                                        {"sinks", {}},
                                                        {"self_attn", {"attention"}},
                                                        {"attention", {"attention"}},
                                                        {"q_proj", {"q"}},
                                                        {"k_proj", {"k"}},
                                                        {"v_proj", {"v"}},
                                                        {"qkv_proj", {"q", "k", "v"}},
                                                        {"o_proj", {"o"}},
                                                        {"out_proj", {"o"}},
                                                        {"q_a_proj", {"q_a"}},
                                                        {"q_b_proj", {"q_b"}},
                                                        {"kv_a_proj_with_mqa", {"kv_a"}},
                                                        {"kv_b_proj", {"kv_b"}},
                                                        {"mlp", {"ffn", "shared", "experts"}},
                                                        {"block_sparse_moe", {"experts"}},
                                                        {"experts", {"experts"}},
                                                        {"shared_expert", {"shared"}},
                                                        {"shared_experts", {"shared"}},
                                                        {"gate_proj", {"gate"}},
                                                        {"up_proj", {"up"}},
                                                        {"down_proj", {"down"}},
                                                        {"gate_up_proj", {"gate", "up"}},
                                                        {"fc1", {"up"}},
                                                        {"fc2", {"down"}}};
    return known;
}

/// The words of a name between its dots, without the signs of patterns.
std::vector<std::string> words_of(std::string_view module) {
    if (module.starts_with("re:")) module.remove_prefix(3);
    std::vector<std::string> words;
    std::string word;
    for (char const c : module) {
        if (c == '.') {
            if (!word.empty()) words.push_back(word);
            word.clear();
        } else if (std::string_view("*^$\\()+?").find(c) == std::string_view::npos) {
            word += c;
        }
    }
    if (!word.empty()) words.push_back(word);
    return words;
}

/// What a module keeps; nothing if it is not known. A matrix of experts alone is not: formats have no name for it.
std::optional<Kept> kept_by(std::vector<std::string> const& words) {
    if (words.empty()) return std::nullopt;
    auto const& last = words.back();
    if (last.find("norm") != last.npos) return Kept{};
    auto const found = known_modules().find(last);
    if (found == known_modules().end()) return std::nullopt;
    bool const of_network = last.ends_with("_proj") && std::ranges::any_of(words, [](std::string const& word) {
                                return word.find("expert") != word.npos;
                            });
    if (of_network) return std::nullopt;
    return found->second;
}

/// The layer that a name states, from 0.
std::optional<std::int64_t> layer_of(std::vector<std::string> const& words) {
    for (auto const& word : words) {
        std::int64_t layer = 0;
        auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), layer);
        if (error == std::errc() && end == word.data() + word.size()) return layer;
    }
    return std::nullopt;
}

}  // namespace

bool keep_modules(ConfigReader& file, std::string_view field, LanguageModel& model) {
    std::map<std::string, std::set<std::int64_t>> of_layers;
    std::map<std::string, std::string> first_named;
    std::set<std::string> kept;
    for (auto const& module : file.texts(field)) {
        auto const words = words_of(module);
        auto const parts = kept_by(words);
        auto const layer = layer_of(words);
        if (!parts) {
            file.mistake(field,
                         fmt::format("{}: '{}' is not a module whose weights are known", field, sim::clipped(module)));
        } else if (!layer) {
            kept.insert(parts->begin(), parts->end());
        } else if (*layer < model.layers) {
            for (auto const& part : *parts) {
                of_layers[part].insert(*layer);
                first_named.emplace(part, module);
            }
        }
    }
    for (auto const& [part, layers] : of_layers) {
        if (static_cast<std::int64_t>(layers.size()) == model.layers)
            kept.insert(part);
        else if (!kept.contains(part))
            file.mistake(
                field, fmt::format("{}: '{}' is kept in {} of {} layers (all layers have the same format here)", field,
                                   sim::clipped(first_named[part]), layers.size(), model.layers));
    }
    bool const head = kept.erase("lm_head") > 0;
    auto& format = model.weight_format;
    format.kept.insert(format.kept.end(), kept.begin(), kept.end());
    return head;
}

}  // namespace pimdse::models
