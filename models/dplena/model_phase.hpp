#pragma once

#include "models/dplena/design.hpp"
#include "models/dplena/pass.hpp"
#include "models/dplena/prepared.hpp"
#include "models/llm/request_passes.hpp"

namespace pimdse::models::dplena {

/// The passes of a generation, which consists of `blocks` times one full pass, `steps` - 1 cached passes and the
/// sampling of `steps` steps (README.md, End to end).
struct ModelPhase {
    ModelPass full;    ///< all positions, at the start of a block; autoregressive: the prompt, of both models
    ModelPass cached;  ///< a later step of a block (prefix caching: mean over the blocks); autoregressive: a token, or
                       ///< proposals and their verification
    ModelPass per_generation;                       ///< without the sampling
    double blocks = 0.0;                            ///< autoregressive: passes that sample the positions of a block
    double samplings = 0.0;                         ///< in blocks, with those of proposals by a draft model
    double full_passes = 0.0, cached_passes = 0.0;  ///< number of passes of a generation
};

[[nodiscard]] ModelPhase model_phase(Design const& design, Prepared const& prepared);

/// Bytes that must be resident in HBM: weights, keys and values, logits of one block.
[[nodiscard]] sim::Data resident_bytes(Design const& design, Prepared const& prepared);
/// Bytes of all channels.
[[nodiscard]] sim::Data hbm_capacity(Design const& design, MachineConstants const& machine);
/// Bytes that the weights, and the logits of a block of `batch` sequences, leave to keys and values.
[[nodiscard]] sim::Data room_for_cache(Design const& design, Prepared const& prepared);

}  // namespace pimdse::models::dplena
