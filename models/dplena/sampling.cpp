#include "models/dplena/sampling.hpp"

#include "models/dplena/blocks.hpp"
#include "models/dplena/memories.hpp"
#include "models/dplena/prefetch_estimate.hpp"
#include "models/dplena/refresh.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

/// Cycles of `rows` rows whose chunks are fetched twice, when the first pass waits for its fetches and the second does not:
/// fetches run ahead during the second pass as far as buffers allow and the next row's first pass finds them done.
double alternating_rounds(double blocks, double fetch, double first, double second, double ahead) {
    auto const waiting = std::max(blocks * first, (blocks - std::min(ahead, blocks)) * fetch + first);
    return std::max({2.0 * blocks * fetch, blocks * (first + second), blocks * second + waiting});
}

/// Blocks fetched and worked on in a pipeline: with one buffer in turn, with more the slower of the two at every step, before
/// them the first fetch and behind them the last work.
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
    if (phases.size() == 1) {
        auto const count = as_double(phases[0].blocks) * repeats;
        return fetch + (count - 1.0) * std::max(fetch, work_in(0)) + work_in(0);
    }
    auto const rows = as_double(program.design().block_length);
    auto const round = alternating_rounds(as_double(phases[0].blocks) / rows, fetch, work_in(0), work_in(1), as_double(program.design().buffers - 1));
    return fetch + round * rows * repeats;
}

double overlapped(Program const& program, double per_prefetch) {
    auto const start = as_double(program.prologue().sum()) + per_prefetch * as_double(program.mask_prefetches());
    return start + pipelined(program, Blocks(program), per_prefetch);
}

SamplingCost serial_sampling(Program const& program, HbmTiming const& timing, Estimate const& prefetch) {
    auto const counts = program.total();
    auto const instructions = as_double(counts.sum());
    auto const prefetches = as_double(program.prefetches());
    auto const memory = with_refresh(program, timing, {prefetch.value * prefetches, prefetch.low * prefetches, prefetch.high * prefetches, prefetch.bound});
    Estimate const total{memory.value + instructions, memory.low + instructions, memory.high + instructions, memory.bound};
    return {counts, program.prefetches(), memory, total};
}

/// `slack` widens the total's bounds for what the pipeline's closed form leaves out.
SamplingCost overlapped_sampling(Program const& program, HbmTiming const& timing, Estimate const& prefetch, double slack) {
    auto cost = serial_sampling(program, timing, prefetch);
    auto const slower = program.prefetches() == 0 ? 1.0 : cost.memory.value / (prefetch.value * as_double(program.prefetches()));
    auto const least = [&](double memory) { return std::max(memory, as_double(cost.counts.vector)); };
    auto const value = std::clamp(overlapped(program, prefetch.value * slower), least(cost.memory.value), cost.total.value);
    auto const low = std::max(overlapped(program, prefetch.low) * (1.0 - slack), least(cost.memory.low));
    auto const high = std::min(overlapped(program, prefetch.high * slower) * (1.0 + slack), cost.total.high);
    cost.total = Estimate::within(value, std::min(low, value), std::max(high, value), Bound::calibrated);
    return cost;
}

SamplingCost composed(Program const& program, HbmTiming const& timing, Estimate const& prefetch, double slack) {
    return program.design().overlap == Overlap::none ? serial_sampling(program, timing, prefetch)
                                                     : overlapped_sampling(program, timing, prefetch, slack);
}

}  // namespace

SamplingCost analytic_sampling(Program const& program, Machine const& machine) {
    constexpr double slack = 0.1;
    return composed(program, machine.hbm, estimate_prefetch(program.design(), machine.prefetch, machine.hbm), slack);
}

SamplingCost hybrid_sampling(Program const& program, Machine const& machine) {
    constexpr double slack = 0.03, spread = 0.02;
    auto const mean = machine.memories->calibrations.mean_prefetch(program, machine.hbm);
    auto const prefetch = mean.exact ? Estimate::exact(mean.ticks)
                                     : Estimate::within(mean.ticks, mean.ticks * (1.0 - spread), mean.ticks * (1.0 + spread), Bound::calibrated);
    return composed(program, machine.hbm, prefetch, slack);
}

}  // namespace pimdse::models::dplena
