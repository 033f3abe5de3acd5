#include "models/cim_mesh/layer/head.hpp"

#include "models/cim_mesh/layer/layer_time.hpp"
#include "sim/base/counting.hpp"
#include "sim/noc/closed_form.hpp"

namespace pimdse::models::cim_mesh {
namespace {

namespace form = sim::noc::closed_form;

/// Where the head lies: whole compute tiles side by side.
struct HeadFloor {
    std::int64_t tiles = 0, columns = 0;
    double farthest = 0.0;  ///< from the hub, in hops
    double borders = 0.0;   ///< that chains of partial sums cross
};

HeadFloor lay(MachineConstants const& machine, Design const& d, Tiling const& head) {
    HeadFloor floor{sim::divide_up(head.tiles(), d.pairs_per_tile()), sim::divide_up(head.tiles(), d.mesh_rows), 0, 0};
    double const borders = static_cast<double>(floor.tiles - 1);
    floor.farthest = static_cast<double>(d.mesh_rows + floor.columns + 1) / 2.0 + machine.border_hops * borders / 2.0;
    for (std::int64_t at = 1; at < floor.tiles; ++at) {
        if (at * d.pairs_per_tile() % head.rows != 0) floor.borders += 1.0;
    }
    return floor;
}

/// One position, and every further one of the same pass.
struct HeadCost {
    double first = 0.0, further = 0.0;
};

/// A position's inputs and one sum enter the busiest router.
HeadCost one_after_the_other(MachineConstants const& machine, Design const& d, Services const& services,
                             Tiling const& head, HeadFloor const& floor) {
    auto const timing = router_timing(machine, d);
    double const per_hop = static_cast<double>(form::per_hop(timing)), fixed = static_cast<double>(form::fixed(timing));
    auto const adds = static_cast<double>((head.rows - 1) * sim::divide_up(head.cols, d.parallel_columns));
    double const hops = 2.0 * floor.farthest + machine.border_hops * floor.borders;
    double const legs = 2.0 * (fixed + services.vector_transfer() - 1.0);
    return {services.hop() * adds + per_hop * hops + legs,
            machine.prefill_vectors * services.hop() * static_cast<double>(head.rows + 1)};
}

/// The hub broadcasts the position's vectors down one tree; columns are summed towards their middles, then sent back.
HeadCost all_at_once(MachineConstants const& machine, Design const& d, Services const& services, Tiling const& head,
                     HeadFloor const& floor) {
    auto const timing = router_timing(machine, d);
    double const per_hop = static_cast<double>(form::per_hop(timing)), fixed = static_cast<double>(form::fixed(timing));
    double const vectors = static_cast<double>(head.rows) * (services.vector_transfer() + 1.0);
    double const summed = (per_hop + machine.adder_service) * static_cast<double>(head.rows / 2);
    double const leg = fixed + services.vector_transfer() - 1.0;
    return {vectors + 2.0 * per_hop * floor.farthest + summed + leg + leg + leg, vectors};
}

}  // namespace

double head_cycles(MachineConstants const& machine, Design const& d, Partition const& p) {
    if (p.head.cols == 0) return 0.0;
    Services const services(machine, d, p);
    auto const floor = lay(machine, d, p.head);
    auto const cost =
        (d.schedule == Schedule::serial ? one_after_the_other : all_at_once)(machine, d, services, p.head, floor);
    double const positions = d.diffuses() ? static_cast<double>(d.block_length) : 1.0;
    return cost.first + cost.further * (positions - 1.0) + static_cast<double>(d.smac_cycles);
}

}  // namespace pimdse::models::cim_mesh
