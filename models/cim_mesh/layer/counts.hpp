#pragma once

#include "models/cim_mesh/layer/least_layer.hpp"
#include "models/cim_mesh/layer/placed_layer.hpp"

namespace pimdse::models::cim_mesh {

/// What a token meets on the placed layer: counted, none of it fitted. Lengths are in hops; a border between compute
/// tiles counts as `border_hops` of them.
struct MeshCounts {
    double chain_borders = 0.0;     ///< crossed by the partial sums one token waits for, in hops
    double fill = 0.0;              ///< length of the ways that hide under no chain: last sum to hub, hub to farthest
    double fill_legs = 0.0;         ///< how many ways those are
    double walk_back = 0.0;         ///< from the last layer of the serpentine to the first, once a token
    double busiest_router = 0.0;    ///< vectors of a prompt's token that enter the busiest router, keys everywhere
    double busiest_link = 0.0;      ///< flits of a decoded token on the busiest link, at the mean context
    double prompt_link = 0.0;       ///< flits of a prompt's token on its busiest link
    std::int64_t most_holders = 0;  ///< routers that may hold keys
    std::int64_t mesh_rows = 1;
    PlacedLayer const* layer = nullptr;  ///< of the ways to keys; of none: the least of all

    /// Mean way from the queries to so many routers that hold keys, hops.
    [[nodiscard]] double key_way(std::int64_t holders) const;
};

/// Refers to the layer as long as it lives.
[[nodiscard]] MeshCounts count_mesh(MachineConstants const& machine, Design const& design, Partition const& partition,
                                    PlacedLayer const& layer);
/// Nothing is less wherever the layer lies.
[[nodiscard]] MeshCounts least_counts(MachineConstants const& machine, Design const& design, Partition const& partition,
                                      LeastLayer const& layer);

}  // namespace pimdse::models::cim_mesh
