#include "models/dplena/sampling.hpp"

#include "models/dplena/hbm/prefetch_estimate.hpp"
#include "models/dplena/hbm/refresh.hpp"
#include "models/dplena/pipeline.hpp"
#include "models/dplena/prepared.hpp"
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

SamplingCost serial_sampling(Program const& program, Estimate const& memory) {
    auto const counts = program.total();
    auto const instructions = as_double(counts.sum());
    Estimate const total{memory.value + instructions, memory.low + instructions, memory.high + instructions,
                         memory.kinds};
    return {counts, program.prefetches(), memory, total};
}

/// `slack` widens the total's bounds for what the pipeline's closed form leaves out.
SamplingCost overlapped_sampling(Program const& program, HbmTiming const& timing, Estimate const& memory,
                                 double slack) {
    auto cost = serial_sampling(program, memory);
    auto const share = program.prefetches() == 0 ? 0.0 : 1.0 / as_double(program.prefetches());
    auto const least = [&](double cycles) { return std::max(cycles, as_double(cost.counts.vector)); };
    // A short run meets a few refreshes more or less than the mean has them.
    auto const refreshes = program.design().refresh == Refresh::on ? 3.0 * as_double(timing.refresh_duration) : 0.0;
    auto const middle = overlapped(program, timing, memory.value * share);
    auto const value = std::clamp(middle.cycles * middle.stretch, least(memory.value),
                                  std::max(cost.total.value, least(memory.value)));
    auto const low =
        std::max(overlapped(program, timing, memory.low * share).cycles * (1.0 - slack) - refreshes, least(memory.low));
    auto const longest = overlapped(program, timing, memory.high * share);
    auto const high = std::min(longest.cycles * longest.stretch * (1.0 + slack), cost.total.high) + refreshes;
    cost.total = Estimate::within(value, std::min(low, value), std::max(high, value), Bound::calibrated);
    return cost;
}

Estimate times(Estimate const& e, double factor) {
    return {e.value * factor, e.low * factor, e.high * factor, e.kinds};
}

}  // namespace

SamplingCost analytic_sampling(Program const& program, Machine const& machine) {
    constexpr double slack = 0.1;
    auto const prefetch = estimate_prefetch(program.design(), machine.prefetch, machine.hbm);
    auto const memory = with_refresh(program, machine.hbm, times(prefetch, as_double(program.prefetches())));
    return program.design().overlap == Overlap::none ? serial_sampling(program, memory)
                                                     : overlapped_sampling(program, machine.hbm, memory, slack);
}

namespace {

/// Memory cycles of a program from the mean of its prefetches.
Estimate calibrated_memory(Program const& program, Machine const& machine) {
    constexpr double spread = 0.02, spread_of_samples = 0.05;
    auto const mean = machine.memories->calibrations.mean_prefetch(program, machine);
    auto const width = program.design().refresh == Refresh::on || mean.sampled ? spread_of_samples : spread;
    auto const prefetch = mean.exact ? Estimate::exact(mean.ticks)
                                     : Estimate::within(mean.ticks, mean.ticks * (1.0 - width),
                                                        mean.ticks * (1.0 + width), Bound::calibrated);
    return times(prefetch, as_double(program.prefetches()));
}

/// The pipeline's own blocks with calibrated fetches. Its length follows the sum of their times at most one to one.
SamplingCost piped_sampling(Program const& program, Machine const& machine) {
    if (auto const own = machine.memories->calibrations.mean_prefetch(program, machine); own.total > 0.0) {
        auto cost = serial_sampling(program, Estimate::exact(own.ticks * as_double(program.prefetches())));
        cost.total = Estimate::exact(own.total);
        return cost;
    }
    constexpr double slack = 0.01, slack_of_streams = 0.05, slack_of_refresh = 0.03;
    auto const& calibrations = machine.memories->calibrations;
    auto const memory = calibrated_memory(program, machine);
    auto cost = serial_sampling(program, memory);
    auto const& d = program.design();
    bool const refresh = d.refresh == Refresh::on;
    // Refreshes, open rows and prefetches beside each other make no sum of parts: the beginning of the program itself
    // is run.
    auto const cycles = refresh ? calibrations.continued(program, machine)
                                : pipeline_cycles(program, calibrations.mean_prefetch(program, machine));
    auto const share = d.outstanding > 1 ? slack_of_streams : refresh ? slack_of_refresh : slack;
    auto const refreshes = refresh ? 3.0 * as_double(machine.hbm.refresh_duration) : 0.0;
    auto const vector = as_double(cost.counts.vector);
    auto total = Estimate::within(std::max(cycles, vector),
                                  std::max(vector, cycles * (1.0 - share) - (memory.value - memory.low) - refreshes),
                                  cycles * (1.0 + share) + (memory.high - memory.value) + refreshes, Bound::calibrated);
    if (refresh || d.outstanding > 1) {
        // As at cycle fidelity, the serial order is kept where it is faster.
        auto in_turn = d;
        in_turn.overlap = Overlap::none;
        Program const serial(in_turn, machine.costs);
        auto const kept = serial_sampling(serial, calibrated_memory(serial, machine)).total;
        total = Estimate::within(std::min(total.value, kept.value), std::min(total.low, kept.low),
                                 std::min(total.high, kept.high), Bound::calibrated);
    }
    cost.total = total;
    return cost;
}

}  // namespace

SamplingCost hybrid_sampling(Program const& program, Machine const& machine) {
    return program.design().overlap == Overlap::none ? serial_sampling(program, calibrated_memory(program, machine))
                                                     : piped_sampling(program, machine);
}

}  // namespace pimdse::models::dplena
