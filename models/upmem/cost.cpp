#include "models/upmem/cost.hpp"

namespace pimdse::models::upmem {

LaunchCost launch_cost(Prepared const& p, Design const& d, Launch const& launch, Fidelity) {
    auto const cycles = closed_form(launch.work, dma_law(p, d), d.tasklets, d.dispatch_distance);
    return {cycles, cycles.cycles * (1.0 - p.facts.closed_form_low), cycles.cycles * (1.0 + p.facts.closed_form_high), Bound::calibrated};
}

}  // namespace pimdse::models::upmem
