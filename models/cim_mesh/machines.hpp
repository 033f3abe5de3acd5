#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/design.hpp"

namespace pimdse::models::cim_mesh {

/// What a preset fixes. leap-a and leap-d have no SRAM-DCIM, no adapters and no gating; a crossbar of PRIMAL's
/// size becomes one of LEAP's, FIFOs are twice as large; kv_pool = layer becomes the attention's rectangle (leap-a).
[[nodiscard]] Design on_its_machine(MachineConstants const& machine, Design design);

/// The macros of the design's paper, as published.
[[nodiscard]] Macros const& macros_of(MachineConstants const& machine, Design const& design);

}  // namespace pimdse::models::cim_mesh
