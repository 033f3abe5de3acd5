#pragma once

#include "models/llm/workload.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace pimdse::models {

/// How the weights of a model are divided among devices, whose number is the product of the three. `tensor`: every
/// matrix of a layer, by heads and by widths; `expert`: the experts, and only them; `pipeline`: the layers.
struct Division {
    std::int64_t tensor = 1;
    std::int64_t expert = 1;
    std::int64_t pipeline = 1;

    [[nodiscard]] std::int64_t devices() const { return tensor * expert * pipeline; }
};

/// Which devices of a pipeline: those of its last stage have the LM head and the embedding, those before them neither.
enum class PipelineStage : std::uint8_t { last, before };

/// Why a model cannot be divided in this way, with the numbers.
struct NotDivisible {
    std::string reason;
};

/// The part of a model that one device has, as a model: heads, widths, experts and layers are divided. If there are
/// fewer heads of keys and values than devices, every device has the one of its queries, so that several have the same.
/// Vectors as wide as the residual stream (norms, biases after a sum), the vectors of latent attention with the
/// matrices that yield them, and further parameters of a layer are on every device. The vocabulary is padded to a
/// multiple. A router knows all experts; its parameters for experts of other devices are not counted. `experts_active`
/// stays: each of the devices that share the experts sends its own tokens to all of them, so that a device multiplies
/// as many as it sends. The model itself for one device.
[[nodiscard]] std::variant<LanguageModel, NotDivisible> shard_of(LanguageModel const& model, Division const& division,
                                                                 PipelineStage stage = PipelineStage::last);

}  // namespace pimdse::models
