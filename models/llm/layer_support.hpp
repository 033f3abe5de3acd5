#pragma once

#include "models/contract/outcome.hpp"
#include "models/llm/workload.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

/// What a machine serves of the layers of a model.
namespace pimdse::models {

/// What layers may have beside attention to keys and values of their own, with the same heads in all layers, and a
/// network.
enum class LayerFeature : std::uint8_t {
    state,             ///< has_state
    no_attention,      ///< a layer with a network only
    no_network,        ///< a layer with attention or a state only
    own_heads,         ///< other heads than those of other layers
    shared_keys,       ///< LayerKind::shares_keys
    values_from_keys,  ///< likewise, as those that follow
    compression,       ///< keys compressed over several positions, or one vector as key and value
    streams,           ///< residual_streams, output_groups
    output_gate,
    indexer,
    layer_embedding,
    matrices,
    weight_sets,
    value_width,   ///< values of another width than their keys, but for latent attention
    expert_width,  ///< LayerKind::expert_inputs
    few_experts,   ///< part of a model: fewer experts than a token uses
    end            ///< number of features
};

/// Refuses a model with layers that a machine does not serve (rule `layers`): the first of its features that is not in
/// `served`.
[[nodiscard]] std::optional<Infeasible> unserved_layers(LanguageModel const& model, std::string_view machine,
                                                        std::initializer_list<LayerFeature> served);

}  // namespace pimdse::models
