#include "models/dplena/analytic.hpp"

#include "models/dplena/hbm/prefetch_estimate.hpp"
#include "models/dplena/hbm/refresh.hpp"
#include "models/dplena/lows.hpp"
#include "models/dplena/program/blocks.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

using sim::as_double;

/// Cycles of a row whose chunks are fetched twice. Where the first pass waits for its fetches and the second does not,
/// the second lets fetches run `ahead` blocks, which the next row's first pass finds done.
double alternating_row(double blocks, double fetch, double first, double second, double ahead) {
    auto const waiting = std::max(blocks * first, (blocks - ahead + 1.0) * fetch);
    return std::max({2.0 * blocks * fetch, blocks * (first + second), blocks * second + waiting});
}

/// Blocks fetched and worked on in a pipeline: with one buffer in turn, with more the slower of the two at every step,
/// before them the first fetch and behind them the last work.
double pipelined(Program const& program, Blocks const& blocks, double per_prefetch) {
    auto const fetch = program.preloads() > 0 ? per_prefetch * as_double(program.prefetches_per_preload()) : 0.0;
    auto const phases = blocks.phases();
    auto const repeats = as_double(blocks.repeats());
    auto const work_in = [&](std::size_t i) { return phases[i].work / as_double(phases[i].blocks); };
    if (program.design().buffers == 1) {
        double sum = 0.0;
        for (auto const& phase : phases) sum += fetch * as_double(phase.blocks) + phase.work;
        return sum * repeats;
    }
    auto const buffers = as_double(program.design().buffers);
    auto const step = [&](double work) { return std::max(fetch, work); };
    if (phases.size() == 1) {
        auto const count = as_double(phases[0].blocks) * repeats;
        return fetch + (count - 1.0) * step(work_in(0)) + work_in(0);
    }
    auto const rows = as_double(program.design().block_length);
    auto const per_row = as_double(phases[0].blocks) / rows;
    auto const in_step = per_row * (step(work_in(0)) + step(work_in(1)));
    auto const ahead = alternating_row(per_row, fetch, work_in(0), work_in(1), buffers - 1.0);
    return fetch + (buffers == 2.0 ? in_step : std::min(in_step, ahead)) * rows * repeats;
}

struct Pipeline {
    double cycles = 0.0, stretch = 1.0;  ///< stretch: by refreshes, where the work is the slower side
};

Pipeline overlapped(Program const& program, HbmTiming const& timing, double per_prefetch) {
    Blocks const blocks(program);
    auto const start = as_double(program.prologue().sum()) + per_prefetch * as_double(program.mask_prefetches());
    auto const logits = per_prefetch * as_double(program.logit_prefetches());
    double work = 0.0;
    for (auto const& phase : blocks.phases()) work += phase.work * as_double(blocks.repeats());
    auto const stretch = refresh_stretch(program.design(), timing, work / as_double(blocks.count()));
    return {start + pipelined(program, blocks, per_prefetch), work > logits ? stretch : 1.0};
}

/// Prefetches that can be under way at once: those of the blocks that are fetched ahead.
double usable_outstanding(Program const& program) {
    auto const& d = program.design();
    if (d.overlap == Overlap::none || program.preloads() == 0) return 1.0;
    auto const ahead = program.prefetches_per_preload() * std::max<std::int64_t>(1, d.buffers - 1);
    return as_double(std::min(d.outstanding, std::max<std::int64_t>(1, ahead)));
}

/// Of the whole machine, whose prefetches take `memory` together.
Expected overlapped_total(Program const& program, MachineConstants const& machine, Expected const& memory) {
    auto const count = std::max(1.0, as_double(program.prefetches()));
    auto const serial = as_double(program.total().sum());
    auto const& a = machine.sampling;
    // A short run meets a few refreshes more or less than the mean has them.
    auto const refreshes = program.design().refresh == Refresh::on
                               ? a.refreshes_missed * as_double(machine.hbm.timing.refresh_duration)
                               : 0.0;
    auto const middle = overlapped(program, machine.hbm.timing, memory.value / count);
    auto const longest = overlapped(program, machine.hbm.timing, memory.high / count);
    return {std::min(middle.cycles * middle.stretch, serial + memory.value),
            std::min(longest.cycles * longest.stretch * (1.0 + a.analytic_slack), serial + memory.high) + refreshes};
}

Estimate between(double low, Expected const& expected) {
    auto const value = std::max(low, expected.value);
    return Estimate::within(value, low, std::max(value, expected.high), {Bound::proved, Bound::calibrated});
}

}  // namespace

SamplingCost analytic_sampling(Program const& program, MachineConstants const& machine) {
    auto const low = sampling_low(program, machine.hbm.timing);
    auto const prefetch = estimate_prefetch(program.design(), machine, usable_outstanding(program));
    auto const memory = with_refresh(program, machine, prefetch.times(as_double(program.prefetches())));
    auto const counts = program.total();
    auto const instructions = as_double(counts.sum());
    auto const total = program.design().overlap == Overlap::none
                           ? Expected{memory.value + instructions, memory.high + instructions}
                           : overlapped_total(program, machine, memory);
    return {counts, program.prefetches(), between(low.memory, memory), between(low.total, total)};
}

}  // namespace pimdse::models::dplena
