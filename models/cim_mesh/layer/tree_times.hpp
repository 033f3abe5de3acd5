#pragma once

#include "models/cim_mesh/layer/counts.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"

namespace pimdse::models::cim_mesh {

/// What the network sets of a layer's time, cycles.
struct TreeTimes {
    sim::Bounded weights;          ///< stages of a token's weights
    sim::Bounded prompt_cache;     ///< those with the cache and its products, of the last token of the prompt
    sim::Bounded full_cache;       ///< those with the cache where all routers of the pool hold keys, without products
    sim::Bounded pace;             ///< what every other token of the prompt adds
    sim::Bounded keys_and_values;  ///< those with the cache and its products, in the mean of the decoded tokens
};

/// Cycles of a router that multiplies the queries of a group with a key, and its value.
[[nodiscard]] std::int64_t products_of_a_key(Design const& design, Partition const& partition);

/// Tokens of a prompt follow each other as fast as the slowest stage, and the busiest link of all stages, let them.
[[nodiscard]] sim::Bounded pace_of(MachineConstants const& machine, Design const& design, MeshCounts const& counts,
                                   sim::Bounded const& slowest);

/// With what waits for no message.
[[nodiscard]] LayerTime composed(MachineConstants const& machine, Design const& design, Partition const& partition,
                                 MeshCounts const& counts, TreeTimes const& times);

}  // namespace pimdse::models::cim_mesh
