#pragma once

#include "models/cim_mesh/layer/placed_layer.hpp"

namespace pimdse::models::cim_mesh {

/// What a placement costs: bytes times distance over the edges of a layer's data flow, between the middles of what is
/// sent and where it goes, and the vectors of a token on the busiest link.
struct PlacementCost {
    double byte_hops = 0.0;
    double busiest_link = 0.0;
};
/// What a placement is judged by, beside its layer. Of how many flits a vector is makes no difference: placements are
/// compared by quotients.
struct Judge {
    Schedule schedule = Schedule::serial;
    std::int64_t context = 0;

    auto operator<=>(Judge const&) const = default;
};
[[nodiscard]] Judge judge_of(Design const& design);

[[nodiscard]] PlacementCost placement_cost(PlacedLayer const& layer, Judge const& judge);

struct FoundPlacement {
    Genes genes;
    double gain = 0.0;  ///< share of the packed placement's cost that the search saves, 0 and more
};

/// Share of the packed placement's cost that a layer's placement saves; negative if it costs more.
[[nodiscard]] double placement_gain(MachineConstants const& machine, PlacedLayer const& layer,
                                    PlacedLayer const& packed, Judge const& judge);

/// What a search depends on.
struct SearchKey {
    LayerKey packed;  ///< the layer with packed genes
    Judge judge;

    auto operator<=>(SearchKey const&) const = default;
};

/// All orders and directions of q, k, v, o on every useful height of a band and on rectangles of every shape, by
/// distances alone; then annealing over all matrices from the best; the best few with the load of their links counted
/// out. Deterministic. Never worse than packed.
[[nodiscard]] FoundPlacement search_placement(SearchKey const& key, MachineConstants const& machine);

}  // namespace pimdse::models::cim_mesh
