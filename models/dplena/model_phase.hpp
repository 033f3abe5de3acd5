#pragma once

#include "models/dplena/design.hpp"
#include "models/dplena/prepared.hpp"

namespace pimdse::models::dplena {

/// What passes of the model do and take: each the larger of its cycles on the matrix unit and its bytes over the HBM's
/// bandwidth, after the launches of its layers.
struct ModelPass {
    sim::Time time;
    double multiplications = 0.0;  ///< multiply-adds that count
    double cycles = 0.0;           ///< of the matrix unit, in whole tiles
    sim::Data bytes;               ///< to and from HBM
    sim::Time compute, transfer;   ///< of the matrix unit and of HBM, beside each other
    sim::Time launches;            ///< of the layers

    ModelPass& operator+=(ModelPass const& other);
    [[nodiscard]] ModelPass times(double n) const;
};

/// A generation is `blocks` times one full pass, `steps` - 1 cached passes and the sampling of `steps` steps
/// (README.md, End to end).
struct ModelPhase {
    ModelPass full;            ///< all positions, at the start of a block; the prompt, of tokens one by one
    ModelPass cached;          ///< one later step of a block (prefix caching: the mean over the blocks); one token
    ModelPass per_generation;  ///< without the sampling
    double blocks = 0.0;
    double full_passes = 0.0, cached_passes = 0.0;  ///< of a generation
};

[[nodiscard]] ModelPhase model_phase(Design const& design, Prepared const& prepared);

/// What the channels carry at the rate of hbm_bus while none refreshes.
[[nodiscard]] sim::Bandwidth channel_bandwidth(Design const& design, MachineConstants const& machine);

/// Most that the pins of the channels carry, whatever `hbm_bus` and refresh.
[[nodiscard]] sim::Bandwidth pin_bandwidth(Design const& design, MachineConstants const& machine);

/// Bytes that must stay in HBM: weights, keys and values, logits of one block.
[[nodiscard]] sim::Data resident_bytes(Design const& design, Prepared const& prepared);

}  // namespace pimdse::models::dplena
