#pragma once

#include "models/cim_mesh/layer/counts.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"

namespace pimdse::models::cim_mesh {

/// Ideal tree collectives, phase after phase.
[[nodiscard]] LayerTime tree_layer(MachineConstants const& machine, Design const& design, Partition const& partition,
                                   PlacedLayer const& layer, MeshCounts const& counts, Fidelity fidelity);

}  // namespace pimdse::models::cim_mesh
