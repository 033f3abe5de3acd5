#include "models/llm/layer_support.hpp"

#include "models/llm/state.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace pimdse::models {
namespace {

/// Whether attention of another kind of layers has other heads.
bool has_other_heads(LanguageModel const& model, LanguageModel const& alike) {
    return std::ranges::any_of(alike_layers(model), [&](LanguageModel const& other) {
        return other.attends &&
               (other.heads != alike.heads || other.kv_heads != alike.kv_heads ||
                other.head_dimension != alike.head_dimension || other.value_dimension != alike.value_dimension);
    });
}

using Model = LanguageModel const&;

/// What layers of a kind, `alike`, have, for sentences ("": the kind of their state); and whether they have it.
struct Feature {
    std::string_view text;
    bool (*has)(Model model, Model alike);
};
/// By LayerFeature.
constexpr std::array<Feature, static_cast<std::size_t>(LayerFeature::end)> features{{
    {"", [](Model, Model alike) { return has_state(alike); }},
    {"a network only", [](Model, Model alike) { return !alike.attends && !has_state(alike); }},
    {"no network", [](Model, Model alike) { return !has_network(alike); }},
    {"other heads than its other layers",
     [](Model model, Model alike) { return alike.attends && has_other_heads(model, alike); }},
    {"the keys of other layers", [](Model, Model alike) { return alike.shares_keys; }},
    {"values that are their keys", [](Model, Model alike) { return alike.values_from_keys; }},
    {"keys compressed over several positions, or one vector as key and value",
     [](Model, Model alike) { return alike.compression > 0 || alike.one_vector; }},
    {"several residual streams, or outputs in groups",
     [](Model, Model alike) { return alike.residual_streams > 1 || alike.output_groups > 0; }},
    {"a gate behind attention", [](Model, Model alike) { return alike.output_gate; }},
    {"an indexer that chooses positions", [](Model, Model alike) { return alike.indexer.positions > 0; }},
    {"embeddings of their own", [](Model, Model alike) { return alike.layer_embedding > 0; }},
    {"further matrices", [](Model, Model alike) { return !alike.matrices.empty(); }},
    {"weights in common", [](Model, Model alike) { return weight_sets(alike) < alike.layers; }},
    {"values of another width than their keys",
     [](Model, Model alike) {
         return alike.attends && alike.kv_rank == 0 && alike.value_size() != alike.head_dimension;
     }},
    {"experts in a narrower space", [](Model, Model alike) { return alike.expert_inputs > 0; }},
    {"fewer experts on a device than a token uses",
     [](Model, Model alike) { return alike.experts_active > alike.experts; }},
}};

}  // namespace

std::optional<Infeasible> unserved_layers(LanguageModel const& model, std::string_view machine,
                                          std::initializer_list<LayerFeature> served) {
    for (auto const& alike : alike_layers(model)) {
        for (std::size_t i = 0; i < features.size(); ++i) {
            auto const& [text, has] = features[i];
            if (!has(model, alike) || std::ranges::find(served, static_cast<LayerFeature>(i)) != served.end()) continue;
            return infeasible(
                "layers", "layers of {} have {}, which {} does not serve (docs/models.md has what each machine serves)",
                model.name, text.empty() ? text_of(alike.state.kind) : text, machine);
        }
    }
    return std::nullopt;
}

}  // namespace pimdse::models
