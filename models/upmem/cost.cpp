#include "models/upmem/cost.hpp"

#include "models/upmem/cycle.hpp"
#include "models/upmem/lower_bounds.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace pimdse::models::upmem {
namespace {

/// Blocks of the tasklet that has the most, and whether the last chunk with its short last block is among them.
struct Busiest {
    double blocks;
    bool only_with_last;
};

Busiest busiest_of(DpuWork const& w, std::int64_t tasklets) {
    std::int64_t const chunks = sim::divide_up(w.blocks, w.chunk);
    std::int64_t const mine = sim::divide_up(chunks, tasklets);
    bool const only_with_last = chunks % tasklets == 1 || tasklets == 1;
    std::int64_t const last_chunk = w.blocks - (chunks - 1) * w.chunk;
    std::int64_t const blocks = (mine - 1) * w.chunk + (only_with_last ? last_chunk : w.chunk);
    return {static_cast<double>(std::min(w.blocks, blocks)), only_with_last};
}

/// Slots or instructions of that tasklet. A short last block counts in full if another tasklet has the same number of
/// full blocks.
double own_share(DpuWork const& w, Busiest const& busiest, double per_block, double total, std::int64_t tasklets) {
    double const missing =
        static_cast<double>(w.blocks) * per_block - (total - static_cast<double>(tasklets) * w.fixed_slots);
    double const full = busiest.blocks * per_block - (busiest.only_with_last ? std::max(0.0, missing) : 0.0);
    return std::min(total, std::max(0.0, full) + w.fixed_slots);
}

/// Cycles for which one request of the work occupies the MRAM server, and the total of all requests.
double read_service(DpuWork const& w, DmaLaw const& dma) { return dma.service(w.read_bytes, w.read_rows); }
double write_service(DpuWork const& w, DmaLaw const& dma) { return dma.service(w.write_bytes, w.write_rows); }

double server_cycles(DpuWork const& w, DmaLaw const& dma) {
    return static_cast<double>(w.blocks) * (w.reads * read_service(w, dma) + w.writes * write_service(w, dma));
}

/// The largest estimate of a model: with the slowest DMA law, plus the loss of tasklets in step.
struct Ceiling {
    double cycles = 0.0, in_step = 0.0;
};

/// Bounds: the proved lower bound, and a ceiling increased by the deviations over random designs and by the start of
/// all tasklets.
sim::Bounded above(Prepared const& p, double value, double lower, Ceiling const& ceiling) {
    auto const& allowance = p.machine.allowance;
    double const best = std::max(value, lower);
    double const upper =
        std::max(best, ceiling.cycles) * (1.0 + allowance.bound_upper) + ceiling.in_step + allowance.bound_start;
    return sim::Bounded::within(best, lower, upper, {Bound::proved, Bound::calibrated});
}

/// Every request opens a row, and one more if the blocks do not fit the rows.
DpuWork scattered(Prepared const& p, DpuWork w) {
    auto const rows = [&](double bytes) {
        return std::ceil(bytes / p.machine.row_bytes.si) +
               (std::fmod(p.machine.row_bytes.si, bytes) == 0.0 ? 0.0 : 1.0);
    };
    w.read_rows = rows(w.read_bytes);
    w.write_rows = rows(w.write_bytes);
    return w;
}

sim::Bounded issued(LaunchLowerBound const& lower, sim::Bounded const& cycles) {
    if (lower.exactly) return lower.instructions;
    return sim::Bounded::within(lower.instructions, lower.instructions, std::max(lower.instructions, cycles.upper),
                                cycles.kinds);
}

sim::Bounded served(LaunchLowerBound const& lower, double value, sim::Bounded const& cycles) {
    bool const counted = std::isfinite(lower.dma_busy_max);
    double const max = counted ? lower.dma_busy_max : std::max(value, cycles.upper);
    double const best = std::clamp(value, lower.dma_busy_min, max);
    return sim::Bounded::within(best, lower.dma_busy_min, max,
                                {Bound::proved, counted ? Bound::proved : Bound::calibrated});
}

LaunchCost bounded(Prepared const& p, Design const& d, Task const& task, KernelCycles const& value, Ceiling ceiling) {
    // Tasklets that prepare at the same time may leave all the work to one of them, which then works alone.
    double const preparing = static_cast<double>(d.tasklets) * task.work.fixed_slots;
    auto const lower = launch_lower_bound(p, d, task);
    ceiling.cycles += preparing;
    auto const cycles = above(p, value.cycles, lower.cycles, ceiling);
    return {cycles, issued(lower, cycles), served(lower, value.dma_busy, cycles), {}};
}

/// Tasklets in step wait for MRAM at the same time and then issue at the same time. In every round of all tasklets, the
/// first one alone hides none of the smaller of both times.
double in_step(DpuWork const& w, KernelCycles const& slowest, std::int64_t tasklets) {
    return tasklets > 1 ? std::min(w.total_slots, slowest.dma_busy) / static_cast<double>(tasklets) : 0.0;
}

LaunchCost closed_form_cost(Prepared const& p, Design const& d, Task const& task) {
    auto const cycles = [&](DpuWork const& work, DmaLaw const& law) {
        return closed_form(work, law, d.tasklets, d.dispatch_distance);
    };
    auto const laws = dma_laws(p, d);
    auto const max = cycles(scattered(p, task.work), laws.max);
    return bounded(p, d, task, cycles(task.work, laws.usual), {max.cycles, in_step(task.work, max, d.tasklets)});
}

LaunchCost cycle_cost(Prepared const& p, Design const& d, Task const& task) {
    auto const& name = p.kernels[d.kernel].name;
    auto const max = static_cast<double>(longest_run(p, d, task));
    double const expected = expected_cycles(p, d, task);
    if (expected > max) {
        throw sim::TooLong(
            fmt::format("kernel {} takes about {:.3g} cycles of a DPU here (at most {:.3g} are simulated one by one). "
                        "Fewer elements, or another fidelity?",
                        name, expected, max));
    }
    auto const run = simulate(p, d, task);
    if (!run.ended)
        throw sim::TooLong(
            fmt::format("{}kernel {} still runs here after {:.3g} cycles of a DPU, of which its counts make one expect "
                        "{:.3g} (its main must end with 'jump r23' or to the saved address)",
                        run.place, name, max, expected));
    auto const& k = p.kernels[d.kernel];
    // A generated program has no locks.
    double const locked = k.listing.empty() ? serial_cycles(task.work, d.tasklets, d.dispatch_distance) : 0.0;
    // Additional start-up that the kernel file states.
    double const cycles = std::max(static_cast<double>(run.counters.cycles), locked) + std::max(0.0, k.start_cycles);
    return {cycles, static_cast<double>(run.counters.instructions), run.dma_busy, run.counters};
}

}  // namespace

double serial_cycles(DpuWork const& w, std::int64_t tasklets, std::int64_t dispatch_distance) {
    return static_cast<double>(std::max(tasklets, dispatch_distance)) * w.serial_slots;
}

double cycles_floor(DpuWork const& w, DmaLaw const& dma, std::int64_t tasklets, std::int64_t dispatch_distance) {
    Busiest const busiest = busiest_of(w, tasklets);
    double const own_slots = own_share(w, busiest, w.slots_per_block, w.total_slots, tasklets);
    double const own_instructions = own_share(w, busiest, w.instructions_per_block, w.total_instructions, tasklets);
    double const own_turns = std::max(own_slots, static_cast<double>(dispatch_distance) * own_instructions);
    double const own_transfers = busiest.blocks * (w.reads * (read_service(w, dma) + dma.extra) +
                                                   w.writes * (write_service(w, dma) + dma.extra));
    return std::max({w.total_slots, own_turns + own_transfers, server_cycles(w, dma),
                     static_cast<double>(dispatch_distance) * w.serial_slots});
}

KernelCycles closed_form(DpuWork const& w, DmaLaw const& dma, std::int64_t tasklets, std::int64_t dispatch_distance) {
    auto const loading = static_cast<double>(std::min(tasklets, w.blocks));
    double const start = read_service(w, dma) * loading * w.reads + w.start_cycles;
    double const steady =
        std::max(cycles_floor(w, dma, tasklets, dispatch_distance), serial_cycles(w, tasklets, dispatch_distance));
    return {steady + start, w.total_instructions, server_cycles(w, dma)};
}

LaunchCost launch_cost(Prepared const& p, Design const& d, Task const& task, Fidelity fidelity) {
    return fidelity == Fidelity::cycle ? cycle_cost(p, d, task) : closed_form_cost(p, d, task);
}

}  // namespace pimdse::models::upmem
