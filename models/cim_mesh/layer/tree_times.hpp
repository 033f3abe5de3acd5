#pragma once

#include "models/cim_mesh/layer/counts.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"

namespace pimdse::models::cim_mesh {

/// What the network sets of a layer's time: the stages of a token's weights, those with the cache at the end of the
/// prompt, what every further token of it adds, and the stages with the cache in the mean of the decoded tokens.
struct TreeTimes {
    sim::Bounded weights, prompt_cache, pace, keys_and_values;
};

/// Tokens of a prompt follow each other as fast as the slowest stage, and the busiest link of all stages, let them.
[[nodiscard]] sim::Bounded pace_of(MachineConstants const& machine, Design const& design, MeshCounts const& counts,
                                   sim::Bounded const& slowest);

/// With what waits for no message.
[[nodiscard]] LayerTime composed(MachineConstants const& machine, Design const& design, Partition const& partition,
                                 MeshCounts const& counts, TreeTimes const& times);

}  // namespace pimdse::models::cim_mesh
