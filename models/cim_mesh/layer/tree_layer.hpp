#pragma once

#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/cim_mesh/layer/program.hpp"

namespace pimdse::models::cim_mesh {

/// Ideal tree collectives, phase after phase.
[[nodiscard]] LayerTime tree_layer(MachineConstants const& machine, Design const& design, Partition const& partition,
                                   TreeProgram const& program, Fidelity fidelity);

}  // namespace pimdse::models::cim_mesh
