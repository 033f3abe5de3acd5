#pragma once

#include "models/dplena/design.hpp"
#include "models/dplena/prepared.hpp"

namespace pimdse::models::dplena {

/// A generation is `blocks` times one full pass, `steps` - 1 cached passes and the sampling of `steps` steps. A pass
/// takes the larger of its cycles on the matrix unit and its bytes over the HBM's bandwidth (README.md, End to end).
struct ModelPhase {
    sim::Time full;            ///< all positions, at the start of a block
    sim::Time cached;          ///< one later step of a block (prefix caching: the mean over the blocks)
    sim::Time per_generation;  ///< without the sampling
    double blocks = 0.0;
};

[[nodiscard]] ModelPhase model_phase(Design const& design, Prepared const& prepared);

/// Bytes that must stay in HBM: weights, keys and values, logits of one block.
[[nodiscard]] sim::Data resident_bytes(Design const& design, Prepared const& prepared);

}  // namespace pimdse::models::dplena
