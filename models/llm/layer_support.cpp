#include "models/llm/layer_support.hpp"

#include "models/llm/state.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::models {
namespace {

/// Whether attention of another kind of layers has other heads.
bool has_other_heads(LanguageModel const& model, LanguageModel const& alike) {
    return std::ranges::any_of(alike_layers(model), [&](LanguageModel const& other) {
        return other.attends && (other.heads != alike.heads || other.kv_heads != alike.kv_heads ||
                                 other.head_dimension != alike.head_dimension);
    });
}

/// What these layers have, for sentences: "a state of Mamba-2".
std::string_view text_of(LayerFeature feature, LanguageModel const& alike) {
    switch (feature) {
        case LayerFeature::state:
            return text_of(alike.state.kind);
        case LayerFeature::no_attention:
            return "a network only";
        case LayerFeature::no_network:
            return "no network";
        case LayerFeature::own_heads:
            return "other heads than its other layers";
        case LayerFeature::shared_keys:
            return "the keys of other layers";
        case LayerFeature::values_from_keys:
            return "values that are their keys";
        case LayerFeature::output_gate:
            return "a gate behind attention";
        case LayerFeature::indexer:
            return "an indexer that chooses positions";
        case LayerFeature::layer_embedding:
            return "embeddings of their own";
        case LayerFeature::matrices:
            return "further matrices";
        case LayerFeature::weight_sets:
            return "weights in common";
        case LayerFeature::few_experts:
            return "fewer experts on a device than a token uses";
        case LayerFeature::end:
            break;
    }
    return "";
}

/// Whether the layers of a kind, `alike`, of the model have it.
bool has_feature(LanguageModel const& model, LanguageModel const& alike, LayerFeature feature) {
    switch (feature) {
        case LayerFeature::state:
            return has_state(alike);
        case LayerFeature::no_attention:
            return !alike.attends && !has_state(alike);
        case LayerFeature::no_network:
            return !has_network(alike);
        case LayerFeature::own_heads:
            return alike.attends && has_other_heads(model, alike);
        case LayerFeature::shared_keys:
            return alike.shares_keys;
        case LayerFeature::values_from_keys:
            return alike.values_from_keys;
        case LayerFeature::output_gate:
            return alike.output_gate;
        case LayerFeature::indexer:
            return alike.indexer.positions > 0;
        case LayerFeature::layer_embedding:
            return alike.layer_embedding > 0;
        case LayerFeature::matrices:
            return !alike.matrices.empty();
        case LayerFeature::weight_sets:
            return weight_sets(alike) < alike.layers;
        case LayerFeature::few_experts:
            return alike.experts_active > alike.experts;
        case LayerFeature::end:
            break;
    }
    return false;
}

}  // namespace

std::optional<Infeasible> unserved_layers(LanguageModel const& model, std::string_view machine,
                                          std::initializer_list<LayerFeature> served) {
    for (auto const& alike : alike_layers(model)) {
        for (int i = 0; i < static_cast<int>(LayerFeature::end); ++i) {
            auto const feature = static_cast<LayerFeature>(i);
            if (!has_feature(model, alike, feature) || std::ranges::find(served, feature) != served.end()) continue;
            return Infeasible{"layers", fmt::format("layers of {} have {}, which {} does not serve (docs/models.md has "
                                                    "what each machine serves)",
                                                    model.name, text_of(feature, alike), machine)};
        }
    }
    return std::nullopt;
}

}  // namespace pimdse::models
