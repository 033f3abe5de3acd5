#pragma once

#include "models/cim_mesh/layer/analytic.hpp"

namespace pimdse::models::cim_mesh {

/// The LM head of one pass, cycles: its columns lie on tiles of their own, one after the other along the ribbon, around
/// a hub in their middle. serial: column after column, as those of a layer; tree: all at once. In closed form at every
/// fidelity. 0 where the head takes no time.
[[nodiscard]] double head_cycles(MachineConstants const& machine, Design const& design, Partition const& partition);

}  // namespace pimdse::models::cim_mesh
