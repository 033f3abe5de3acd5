#include "models/upmem/cost.hpp"

#include "models/upmem/analytic.hpp"
#include "models/upmem/cycle.hpp"
#include "models/upmem/hybrid.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace pimdse::models::upmem {
namespace {

/// A floor and a ceiling from the extremes of the DMA law, with the deviations seen over random designs on top; the
/// ceiling also has the start of all tasklets.
LaunchCost bounded(Prepared const& p, KernelCycles const& value, double floor, double ceiling) {
    double const low = std::min(value.cycles, floor * (1.0 - p.facts.bound_low));
    double const high = std::max(value.cycles, ceiling * (1.0 + p.facts.bound_high) + p.facts.bound_start);
    return {value, low, high, Bound::calibrated, {}};
}

/// Every request opens a row, and one more where blocks do not fit the rows.
DpuWork scattered(Prepared const& p, DpuWork w) {
    auto const rows = [&](double bytes) {
        return std::ceil(bytes / p.facts.row_bytes) + (std::fmod(p.facts.row_bytes, bytes) == 0.0 ? 0.0 : 1.0);
    };
    w.read_rows = rows(w.read_bytes);
    w.write_rows = rows(w.write_bytes);
    return w;
}

LaunchCost closed_form_cost(Prepared const& p, Design const& d, Launch const& launch) {
    auto const laws = dma_laws(p, d);
    auto const& w = launch.work;
    auto const value = closed_form(w, laws.usual, d.tasklets, d.dispatch_distance);
    return bounded(p, value, cycles_floor(w, laws.least, d.tasklets, d.dispatch_distance),
                   closed_form(scattered(p, w), laws.most, d.tasklets, d.dispatch_distance).cycles);
}

LaunchCost fluid_cost(Prepared const& p, Design const& d, Launch const& launch) {
    auto const laws = dma_laws(p, d);
    FluidTails const tails{p.facts.tail_read_slots, p.facts.tail_write_slots};
    auto const cycles = [&](DpuWork const& work, DmaLaw const& law) {
        return fluid_model(work, law, d.tasklets, d.dispatch_distance, tails);
    };
    auto const value = cycles(launch.work, laws.usual);
    // The fluid model has no register stage; the floor of all slots knows only what must issue.
    double const floor = std::min(cycles(launch.work, laws.least).cycles,
                                  cycles_floor(launch.work, laws.least, d.tasklets, d.dispatch_distance));
    return bounded(p, value, floor, cycles(scattered(p, launch.work), laws.most).cycles);
}

LaunchCost cycle_cost(Prepared const& p, Design const& d, Launch const& launch) {
    auto const& name = p.kernels[d.kernel].name;
    auto const most = static_cast<double>(longest_run(p, d, launch));
    double const expected = closed_form(launch.work, dma_laws(p, d).usual, d.tasklets, d.dispatch_distance).cycles;
    if (expected > most) {
        throw sim::TooLong(
            fmt::format("kernel {} takes about {:.3g} cycles of a DPU here (at most {:.3g} are simulated one by one). "
                        "Fewer elements, or another fidelity?",
                        name, expected, most));
    }
    auto const run = simulate(p, d, launch);
    if (!run.ended)
        throw sim::TooLong(fmt::format(
            "kernel {} has not ended after {:.3g} cycles of a DPU (a listing must reach its last 'stop')", name, most));
    // A start-up that the kernel states beyond what its instructions show.
    auto const cycles = static_cast<double>(run.counters.cycles) + std::max(0.0, p.kernels[d.kernel].start_cycles);
    return {{cycles, static_cast<double>(run.counters.instructions), run.dma_busy},
            cycles,
            cycles,
            Bound::proved,
            run.counters};
}

}  // namespace

LaunchCost launch_cost(Prepared const& p, Design const& d, Launch const& launch, Fidelity fidelity) {
    switch (fidelity) {
        case Fidelity::analytic:
            return closed_form_cost(p, d, launch);
        case Fidelity::hybrid:
            return fluid_cost(p, d, launch);
        case Fidelity::cycle:
            return cycle_cost(p, d, launch);
    }
    return {};
}

}  // namespace pimdse::models::upmem
