#include "models/dplena/analytic.hpp"

#include "models/dplena/hbm/prefetch_estimate.hpp"
#include "models/dplena/hbm/refresh.hpp"
#include "models/dplena/program/blocks.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

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

SamplingCost overlapped_sampling(Program const& program, HbmTiming const& timing, Estimate const& memory,
                                 SamplingAllowances const& allowances) {
    auto cost = serial_sampling(program, memory);
    auto const share = program.prefetches() == 0 ? 0.0 : 1.0 / as_double(program.prefetches());
    auto const least = [&](double cycles) { return std::max(cycles, as_double(cost.counts.vector)); };
    // A short run meets a few refreshes more or less than the mean has them.
    auto const refreshes = program.design().refresh == Refresh::on
                               ? allowances.refreshes_missed * as_double(timing.refresh_duration)
                               : 0.0;
    auto const middle = overlapped(program, timing, memory.value * share);
    auto const value = std::clamp(middle.cycles * middle.stretch, least(memory.value),
                                  std::max(cost.total.value, least(memory.value)));
    auto const low =
        std::max(overlapped(program, timing, memory.low * share).cycles * (1.0 - allowances.analytic_slack) - refreshes,
                 least(memory.low));
    auto const longest = overlapped(program, timing, memory.high * share);
    auto const high =
        std::min(longest.cycles * longest.stretch * (1.0 + allowances.analytic_slack), cost.total.high) + refreshes;
    cost.total = Estimate::within(value, std::min(low, value), std::max(high, value), Bound::calibrated);
    return cost;
}

}  // namespace

SamplingCost analytic_sampling(Program const& program, MachineConstants const& machine) {
    auto const& timing = machine.hbm.timing;
    auto const prefetch = estimate_prefetch(program.design(), machine.prefetch, machine.estimate, timing);
    auto const memory = with_refresh(program, timing, machine.estimate, prefetch * as_double(program.prefetches()));
    return program.design().overlap == Overlap::none ? serial_sampling(program, memory)
                                                     : overlapped_sampling(program, timing, memory, machine.sampling);
}

}  // namespace pimdse::models::dplena
