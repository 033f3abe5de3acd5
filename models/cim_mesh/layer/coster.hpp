#pragma once

#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/cim_mesh/layer/macros.hpp"
#include "models/cim_mesh/layer/placed_layer.hpp"
#include "models/cim_mesh/layer/stage_cost.hpp"
#include "sim/base/counting.hpp"
#include "sim/noc/closed_form.hpp"

namespace pimdse::models::cim_mesh {

/// Costs of single stages on the mesh, and the inputs that do not depend on the context.
struct Coster {
    PlacedLayer const& layer;
    std::int32_t flits;
    sim::noc::RouterTiming timing;
    MeshAllowances const& allowed;
    double slower;  ///< cycles by which vectors follow each other more slowly over a border

    [[nodiscard]] StageCost closed(StageShape const& shape) const {
        return over_borders(closed_cost(allowed, timing, shape, flits), shape.borders, shape.repeats);
    }
    [[nodiscard]] StageCost simulated(Stage const& stage) const {
        return over_borders(simulated_cost(allowed, layer.ruler().mesh, timing, stage),
                            borders_of(layer.ruler(), stage), static_cast<double>(stage.phase.repeats));
    }
    /// Cycles of a unicast of one flit.
    [[nodiscard]] double alone(Reach const& route) const {
        return static_cast<double>(sim::noc::closed_form::unicast(timing, route.hops, 1));
    }
    /// Cycles of borders. The simulated network has no borders; they are added to the longest route.
    [[nodiscard]] double over(double borders) const {
        return static_cast<double>(sim::noc::closed_form::per_hop(timing)) * layer.ruler().border_hops * borders;
    }
    /// Cycles that vectors lose at borders: they follow each other more slowly there than on links of the mesh.
    [[nodiscard]] double queueing(double borders, double vectors) const {
        return borders == 0.0 ? 0.0 : (vectors - 1.0) * slower;
    }
    /// Cycles of a key, alone in the network, to the farthest place that `context` tokens fill.
    [[nodiscard]] double farthest_key(std::int64_t context) const {
        auto const reach = layer.key_reach(context);
        return min_alone(timing, alone(reach), flits) + over(reach.borders);
    }

  private:
    [[nodiscard]] StageCost over_borders(StageCost cost, double borders, double vectors) const {
        cost.first += sim::Bounded(over(borders));
        cost.first += sim::Bounded(queueing(borders, vectors));
        if (borders > 0.0) cost.further += sim::Bounded(vectors * slower);
        return cost;
    }
};

/// The result refers to `machine` and `layer`, which must outlive it.
[[nodiscard]] inline Coster coster_of(MachineConstants const& machine, Design const& design, PlacedLayer const& layer) {
    return {layer, vector_flits(machine, design), router_timing(machine, design), machine.allowance,
            slower_on_die_link(machine, design)};
}

/// Cycles of a router that multiplies the queries of a group with a key and with its value.
[[nodiscard]] inline std::int64_t products_of_a_key(Design const& design, Partition const& partition) {
    return 2 * sim::divide_up(design.crossbar, design.dmacs) * sim::divide_up(partition.q, partition.kv);
}

}  // namespace pimdse::models::cim_mesh
