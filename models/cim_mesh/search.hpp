#pragma once

#include "models/cim_mesh/layer/program.hpp"

namespace pimdse::models::cim_mesh {

/// What a placement costs: bytes times distance over the edges of a layer's data flow, between the middles of what is
/// sent and where it goes, and the flits of a token on the busiest link.
struct PlacementCost {
    double byte_hops = 0.0;
    double busiest_link = 0.0;

    /// Both terms as shares of another placement's; `link_weight` is what the second counts against the first.
    [[nodiscard]] double against(PlacementCost const& other, double link_weight) const {
        return (byte_hops / other.byte_hops + link_weight * busiest_link / other.busiest_link) / (1.0 + link_weight);
    }
};
[[nodiscard]] PlacementCost placement_cost(Machine const& machine, Design const& design, Partition const& partition,
                                           Placement const& placement);

struct FoundPlacement {
    Genes genes;
    double gain = 0.0;  ///< share of the packed placement's cost that the search saves, 0 and more
};

/// Share of the packed placement's cost that `placement` saves; negative if it costs more.
[[nodiscard]] double placement_gain(Machine const& machine, Design const& design, Partition const& partition,
                                    Placement const& placement);

/// All orders and directions of q, k, v, o on every useful height of a band and on rectangles of every shape, by
/// distances alone; then annealing over all matrices from the best; the best few with the load of their links counted
/// out. Deterministic. Never worse than packed.
[[nodiscard]] FoundPlacement search_placement(Machine const& machine, Design const& design, Partition const& partition);

/// Heights of a band worth trying: all rows, and the divisors and multiples of the output columns that fit.
[[nodiscard]] std::vector<std::int64_t> band_heights(Design const& design, Partition const& partition);

}  // namespace pimdse::models::cim_mesh
