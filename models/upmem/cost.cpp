#include "models/upmem/cost.hpp"

#include "models/upmem/analytic.hpp"
#include "models/upmem/cycle.hpp"
#include "models/upmem/hybrid.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace pimdse::models::upmem {
namespace {

/// A floor and a ceiling with the deviations seen over random designs on top; the ceiling also has the start of all
/// tasklets.
sim::Bounded deviating(Prepared const& p, double value, double floor, double ceiling) {
    auto const& allowance = p.machine.allowance;
    double const low = std::min(value, floor * (1.0 - allowance.bound_low));
    double const high = std::max(value, ceiling * (1.0 + allowance.bound_high) + allowance.bound_start);
    return sim::Bounded::within(value, low, high, Bound::calibrated);
}

/// Every request opens a row, and one more where blocks do not fit the rows.
DpuWork scattered(Prepared const& p, DpuWork w) {
    auto const rows = [&](double bytes) {
        return std::ceil(bytes / p.machine.row_bytes.si) +
               (std::fmod(p.machine.row_bytes.si, bytes) == 0.0 ? 0.0 : 1.0);
    };
    w.read_rows = rows(w.read_bytes);
    w.write_rows = rows(w.write_bytes);
    return w;
}

/// Floors and ceilings from the extremes of the DMA law.
LaunchCost bounded(Prepared const& p, DpuWork const& work, DmaLaws const& laws, KernelCycles const& value, double floor,
                   double ceiling) {
    return {deviating(p, value.cycles, floor, ceiling),
            deviating(p, value.issue_busy, value.issue_busy, value.issue_busy),
            deviating(p, value.dma_busy, server_cycles(work, laws.least), server_cycles(scattered(p, work), laws.most)),
            {}};
}

LaunchCost closed_form_cost(Prepared const& p, Design const& d, Task const& task) {
    auto const laws = dma_laws(p, d);
    auto const& w = task.work;
    auto const value = closed_form(w, laws.usual, d.tasklets, d.dispatch_distance);
    return bounded(p, w, laws, value, cycles_floor(w, laws.least, d.tasklets, d.dispatch_distance),
                   closed_form(scattered(p, w), laws.most, d.tasklets, d.dispatch_distance).cycles);
}

LaunchCost fluid_cost(Prepared const& p, Design const& d, Task const& task) {
    auto const laws = dma_laws(p, d);
    auto const options = fluid_options(p.machine);
    auto const cycles = [&](DpuWork const& work, DmaLaw const& law) {
        return fluid_model(work, law, d.tasklets, d.dispatch_distance, options);
    };
    auto const value = cycles(task.work, laws.usual);
    // The fluid model has no register stage; the floor of all slots knows only what must issue.
    double const floor = std::min(cycles(task.work, laws.least).cycles,
                                  cycles_floor(task.work, laws.least, d.tasklets, d.dispatch_distance));
    return bounded(p, task.work, laws, value, floor, cycles(scattered(p, task.work), laws.most).cycles);
}

LaunchCost cycle_cost(Prepared const& p, Design const& d, Task const& task) {
    auto const& name = p.kernels[d.kernel].name;
    auto const most = static_cast<double>(longest_run(p, d, task));
    double const expected = closed_form(task.work, dma_laws(p, d).usual, d.tasklets, d.dispatch_distance).cycles;
    if (expected > most) {
        throw sim::TooLong(
            fmt::format("kernel {} takes about {:.3g} cycles of a DPU here (at most {:.3g} are simulated one by one). "
                        "Fewer elements, or another fidelity?",
                        name, expected, most));
    }
    auto const run = simulate(p, d, task);
    if (!run.ended)
        throw sim::TooLong(fmt::format(
            "kernel {} has not ended after {:.3g} cycles of a DPU (a listing must reach its last 'stop')", name, most));
    auto const& k = p.kernels[d.kernel];
    // A made program knows no locks.
    double const locked = k.listing.empty() ? serial_cycles(task.work, d.tasklets, d.dispatch_distance) : 0.0;
    // A start-up that the kernel states beyond what its instructions show.
    double const cycles = std::max(static_cast<double>(run.counters.cycles), locked) + std::max(0.0, k.start_cycles);
    return {cycles, static_cast<double>(run.counters.instructions), run.dma_busy, run.counters};
}

}  // namespace

LaunchCost launch_cost(Prepared const& p, Design const& d, Task const& task, Fidelity fidelity) {
    switch (fidelity) {
        case Fidelity::analytic:
            return closed_form_cost(p, d, task);
        case Fidelity::hybrid:
            return fluid_cost(p, d, task);
        case Fidelity::cycle:
            return cycle_cost(p, d, task);
    }
    return {};
}

}  // namespace pimdse::models::upmem
