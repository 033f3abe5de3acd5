#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/design.hpp"

namespace pimdse::models::cim_mesh {

/// The scratchpad of a pair (README.md, Scratchpad). With `scratchpad_banks` = 0 it is the published macro scaled with
/// its bytes; otherwise equal banks, each an array of cells with a periphery of its own.

/// Area, and leakage, relative to those of the published macro.
[[nodiscard]] double scratchpad_growth(MachineConstants const& machine, Design const& design);

/// Energy [J] of a byte that is read or written, from its bank to the router.
[[nodiscard]] double scratchpad_energy(MachineConstants const& machine, Design const& design);

}  // namespace pimdse::models::cim_mesh
