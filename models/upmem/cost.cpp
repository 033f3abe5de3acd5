#include "models/upmem/cost.hpp"

#include "models/upmem/analytic.hpp"
#include "models/upmem/cycle.hpp"
#include "models/upmem/hybrid.hpp"
#include "models/upmem/lower_bounds.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace pimdse::models::upmem {
namespace {

/// What a model says at most: with the slowest DMA law, and what is lost beside it.
struct Ceiling {
    double cycles = 0.0, in_step = 0.0;
};

/// Between what is proved and a ceiling with the deviations seen over random designs and the start of all tasklets.
sim::Bounded above(Prepared const& p, double value, double low, Ceiling const& ceiling) {
    auto const& allowance = p.machine.allowance;
    double const best = std::max(value, low);
    double const high =
        std::max(best, ceiling.cycles) * (1.0 + allowance.bound_high) + ceiling.in_step + allowance.bound_start;
    return sim::Bounded::within(best, low, high, {Bound::proved, Bound::calibrated});
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

sim::Bounded issued(LaunchLow const& low, sim::Bounded const& cycles) {
    if (low.exactly) return low.instructions;
    return sim::Bounded::within(low.instructions, low.instructions, std::max(low.instructions, cycles.high),
                                cycles.kinds);
}

sim::Bounded served(LaunchLow const& low, double value, sim::Bounded const& cycles) {
    bool const counted = std::isfinite(low.dma_busy_most);
    double const most = counted ? low.dma_busy_most : std::max(value, cycles.high);
    double const best = std::clamp(value, low.dma_busy_least, most);
    return sim::Bounded::within(best, low.dma_busy_least, most,
                                {Bound::proved, counted ? Bound::proved : Bound::calibrated});
}

LaunchCost bounded(Prepared const& p, Design const& d, Task const& task, KernelCycles const& value, Ceiling ceiling) {
    // Tasklets that prepare side by side may leave the work to one of them, which then is alone.
    double const preparing = static_cast<double>(d.tasklets) * task.work.fixed_slots;
    auto const low = launch_low(p, d, task);
    ceiling.cycles += preparing;
    auto const cycles = above(p, value.cycles, low.cycles, ceiling);
    return {cycles, issued(low, cycles), served(low, value.dma_busy, cycles), {}};
}

/// Tasklets that go in step wait for MRAM together and then issue together: in every round of them the first alone
/// hides nothing of the lesser of both.
double in_step(DpuWork const& w, KernelCycles const& slowest, std::int64_t tasklets) {
    return tasklets > 1 ? std::min(w.total_slots, slowest.dma_busy) / static_cast<double>(tasklets) : 0.0;
}

LaunchCost closed_form_cost(Prepared const& p, Design const& d, Task const& task) {
    auto const cycles = [&](DpuWork const& work, DmaLaw const& law) {
        return closed_form(work, law, d.tasklets, d.dispatch_distance);
    };
    auto const laws = dma_laws(p, d);
    auto const most = cycles(scattered(p, task.work), laws.most);
    return bounded(p, d, task, cycles(task.work, laws.usual), {most.cycles, in_step(task.work, most, d.tasklets)});
}

LaunchCost fluid_cost(Prepared const& p, Design const& d, Task const& task) {
    auto const options = fluid_options(p.machine);
    auto const cycles = [&](DpuWork const& work, DmaLaw const& law) {
        return fluid_model(work, law, d.tasklets, d.dispatch_distance, options);
    };
    auto const laws = dma_laws(p, d);
    return bounded(p, d, task, cycles(task.work, laws.usual), {cycles(scattered(p, task.work), laws.most).cycles});
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
