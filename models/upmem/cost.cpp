#include "models/upmem/cost.hpp"

#include "models/upmem/cycle.hpp"

#include <fmt/format.h>

namespace pimdse::models::upmem {
namespace {

LaunchCost closed_form_cost(Prepared const& p, Design const& d, Launch const& launch) {
    auto const cycles = closed_form(launch.work, dma_law(p, d), d.tasklets, d.dispatch_distance);
    return {cycles, cycles.cycles * (1.0 - p.facts.closed_form_low), cycles.cycles * (1.0 + p.facts.closed_form_high), Bound::calibrated, {}};
}

LaunchCost cycle_cost(Prepared const& p, Design const& d, Launch const& launch) {
    auto const run = simulate(p, d, launch);
    sim::ensures(run.ended, fmt::format("kernel {} ends", p.kernels[d.kernel].name));
    auto const cycles = static_cast<double>(run.counters.cycles);
    return {{cycles, static_cast<double>(run.counters.instructions), run.dma_busy}, cycles, cycles, Bound::proved, run.counters};
}

}  // namespace

LaunchCost launch_cost(Prepared const& p, Design const& d, Launch const& launch, Fidelity fidelity) {
    return fidelity == Fidelity::cycle ? cycle_cost(p, d, launch) : closed_form_cost(p, d, launch);
}

}  // namespace pimdse::models::upmem
