#pragma once

#include "models/cim_mesh/layer/counts.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"

namespace pimdse::models::cim_mesh {

/// The time of a layer with ideal tree collectives, stage after stage.
[[nodiscard]] LayerTime tree_layer(MachineConstants const& machine, Design const& design, Partition const& partition,
                                   PlacedLayer const& layer, MeshCounts const& counts, Fidelity fidelity);

/// Lower bounds of the parts of tree_layer() for every placement, in the same order. `counts` are those of
/// min_counts().
[[nodiscard]] LayerTime tree_layer_lower_bound(MachineConstants const& machine, Design const& design,
                                               Partition const& partition, LayerLowerBound const& layer,
                                               MeshCounts const& counts);

}  // namespace pimdse::models::cim_mesh
