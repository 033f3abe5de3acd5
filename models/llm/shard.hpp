#pragma once

#include "models/llm/workload.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace pimdse::models {

/// How the weights of a model are divided among devices, whose number is the product of the three. `tensor`: every
/// matrix of a layer, by heads and by widths; `expert`: the experts, and only them; `pipeline`: the layers. `joined`
/// devices are one machine, to which a part of the model belongs undivided.
struct Division {
    std::int64_t tensor = 1;
    std::int64_t expert = 1;
    std::int64_t pipeline = 1;
    std::int64_t joined = 1;

    /// Parts of the model.
    [[nodiscard]] std::int64_t parts() const { return tensor * expert * pipeline; }
};

/// Layers of each stage, of which the last has the LM head and the embedding. Layers that are left over go one each to
/// the stages before the last one, from there on to the first (vLLM, vllm/distributed/utils.py, get_pp_indices): 126 on
/// four stages are 31, 32, 32 and 31. Precondition: there are as many layers as stages.
[[nodiscard]] std::vector<std::int64_t> layers_of_stages(std::int64_t layers, std::int64_t stages);

/// Stages before the last one that have layers of the same kinds.
struct EqualStages {
    std::int64_t stage = 0;   ///< one of them, from 0
    std::int64_t stages = 0;  ///< their number
};
/// Those of a pipeline, in the order of their first stage. Precondition as for layers_of_stages.
[[nodiscard]] std::vector<EqualStages> stages_before_last(LanguageModel const& model, std::int64_t stages);

/// Why a model cannot be divided in this way, with the numbers.
struct NotDivisible {
    std::string reason;
};

/// The part of a model that a device of a stage has, as a model: heads, widths, experts and layers are divided. If
/// there are fewer heads of keys and values, or groups of a state, than devices, every device has the one of its
/// queries, so that several have the same. Vectors as wide as the residual stream (norms, biases after a sum), the
/// vectors of latent attention with the matrices that yield them, indexers, and further matrices and parameters of a
/// layer are on every device. The vocabulary is padded to a multiple. A router knows all experts; its parameters for
/// experts of other devices are not counted. `experts_active` stays, and `expert_devices` counts the devices that share
/// the experts: each sends its own tokens to all of them, so that a device multiplies as many as it sends. The model
/// itself for one part, with the number of joined devices. Precondition: the stage, from 0, exists.
[[nodiscard]] std::variant<LanguageModel, NotDivisible> shard_of(LanguageModel const& model, Division const& division,
                                                                 std::int64_t stage);
/// That of the last stage.
[[nodiscard]] inline std::variant<LanguageModel, NotDivisible> shard_of(LanguageModel const& model,
                                                                        Division const& division) {
    return shard_of(model, division, division.pipeline - 1);
}

}  // namespace pimdse::models
