#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/design.hpp"

namespace pimdse::models::cim_mesh {

/// Cycles of a border between compute tiles in addition to a hop. `die_link_bits` = 0: those of `border_hops` hops.
/// Otherwise the latency of a die-to-die link, and the time by which a vector takes longer on it than on a mesh link.
[[nodiscard]] double border_hops(MachineConstants const& machine, Design const& design);

/// Cycles by which a vector occupies the link between two compute tiles longer than a mesh link; 0 if the link is not
/// narrower.
[[nodiscard]] double slower_on_die_link(MachineConstants const& machine, Design const& design);

/// Factor by which the vectors of a layer occupy their busiest link longer if it crosses a border: at least 1, and 1
/// for a layer on one compute tile.
[[nodiscard]] double die_link_occupation(MachineConstants const& machine, Design const& design,
                                         std::int64_t placed_tiles);

}  // namespace pimdse::models::cim_mesh
