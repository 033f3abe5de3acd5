#pragma once

#include "models/dplena/design.hpp"
#include "models/dplena/prepared.hpp"

namespace pimdse::models::dplena {

/// Work and time of one pass of the model, or the sum over several. A pass takes the larger of its cycles on the matrix
/// unit and its bytes over the bandwidth of the HBM, after the launches of its layers.
struct ModelPass {
    sim::Time time;
    double multiplications = 0.0;  ///< multiply-adds without the padding of tiles
    double cycles = 0.0;           ///< of the matrix unit, in whole tiles
    sim::Data bytes;               ///< to and from HBM
    sim::Time compute, transfer;   ///< of the matrix unit and of HBM; they overlap
    sim::Time launches;            ///< of the layers

    ModelPass& operator+=(ModelPass const& other);
    [[nodiscard]] ModelPass times(double n) const;
};

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

/// Bandwidth of all channels at the rate of hbm_bus, without refresh.
[[nodiscard]] sim::Bandwidth channel_bandwidth(Design const& design, MachineConstants const& machine);

/// Upper bound of the bandwidth of the pins of all channels, for any `hbm_bus` and without refresh.
[[nodiscard]] sim::Bandwidth pin_bandwidth(Design const& design, MachineConstants const& machine);

/// Bytes that must be resident in HBM: weights, keys and values, logits of one block.
[[nodiscard]] sim::Data resident_bytes(Design const& design, Prepared const& prepared);

}  // namespace pimdse::models::dplena
