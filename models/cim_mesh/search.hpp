#pragma once

#include "models/cim_mesh/layer/program.hpp"

namespace pimdse::models::cim_mesh {

/// What a placement costs: bytes times distance over the edges of a layer's data flow, between the middles of what is
/// sent and where it goes, and the flits of a token on the busiest link.
struct PlacementCost {
    double byte_hops = 0.0;
    double busiest_link = 0.0;
};
[[nodiscard]] PlacementCost placement_cost(MachineConstants const& machine, Design const& design,
                                           Partition const& partition, Placement const& placement);

struct FoundPlacement {
    Genes genes;
    double gain = 0.0;  ///< share of the packed placement's cost that the search saves, 0 and more
};

/// Share of the packed placement's cost that `placement` saves; negative if it costs more.
[[nodiscard]] double placement_gain(MachineConstants const& machine, Design const& design, Partition const& partition,
                                    Placement const& placement);

/// All orders and directions of q, k, v, o on every useful height of a band and on rectangles of every shape, by
/// distances alone; then annealing over all matrices from the best; the best few with the load of their links counted
/// out. Deterministic. Never worse than packed.
[[nodiscard]] FoundPlacement search_placement(MachineConstants const& machine, Design const& design,
                                              Partition const& partition);

}  // namespace pimdse::models::cim_mesh
