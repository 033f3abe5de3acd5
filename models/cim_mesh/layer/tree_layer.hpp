#pragma once

#include "models/cim_mesh/layer/counts.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"

namespace pimdse::models::cim_mesh {

/// Ideal tree collectives, phase after phase.
[[nodiscard]] LayerTime tree_layer(MachineConstants const& machine, Design const& design, Partition const& partition,
                                   PlacedLayer const& layer, MeshCounts const& counts, Fidelity fidelity);

/// Numbers that none of the parts of tree_layer is below, wherever the layer lies; counts: min_counts. In the same
/// order.
[[nodiscard]] LayerTime tree_layer_lower_bound(MachineConstants const& machine, Design const& design,
                                               Partition const& partition, LayerLowerBound const& layer,
                                               MeshCounts const& counts);

}  // namespace pimdse::models::cim_mesh
