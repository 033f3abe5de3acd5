#include "models/dplena/analytic.hpp"

#include "models/dplena/hbm/lower_bounds.hpp"
#include "models/dplena/hbm/prefetch_estimate.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

using sim::as_double;

/// Cycles of a row whose chunks are fetched twice. If the first pass waits for its fetches and the second does not,
/// fetches get up to `ahead` blocks ahead during the second pass; the first pass of the next row then finds these done.
double alternating_row(double blocks, double fetch, double first, double second, double ahead) {
    auto const waiting = std::max(blocks * first, (blocks - ahead + 1.0) * fetch);
    return std::max({2.0 * blocks * fetch, blocks * (first + second), blocks * second + waiting});
}

/// Cycles of the pipeline of fetches and works. With one buffer they alternate. With more buffers each step takes the
/// slower of the two, the first fetch precedes all steps and the last work follows them.
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
    if (phases.size() > 2) {
        auto const steps = step(work_in(0)) + step(work_in(1)) + step(work_in(2));
        return fetch + per_row * steps * rows * repeats;
    }
    auto const in_step = per_row * (step(work_in(0)) + step(work_in(1)));
    auto const ahead = alternating_row(per_row, fetch, work_in(0), work_in(1), buffers - 1.0);
    return fetch + (buffers == 2.0 ? in_step : std::min(in_step, ahead)) * rows * repeats;
}

struct PipelinedTime {
    double cycles = 0.0, stretch = 1.0;  ///< stretch: factor for refreshes, above 1 only if the work is slower
};

PipelinedTime overlapped(Program const& program, HbmTiming const& timing, double per_prefetch) {
    Blocks const blocks(program);
    auto const start = as_double(program.prologue().sum()) + per_prefetch * as_double(program.mask_prefetches());
    auto const logits = per_prefetch * as_double(program.logit_prefetches());
    double work = 0.0;
    for (auto const& phase : blocks.phases()) work += phase.work * as_double(blocks.repeats());
    auto const stretch = refresh_stretch(program.design(), timing, work / as_double(blocks.count()));
    return {start + pipelined(program, blocks, per_prefetch), work > logits ? stretch : 1.0};
}

/// Number of prefetches that can be in flight at once: at most those of the blocks that are fetched ahead.
double usable_outstanding(Program const& program) {
    auto const& d = program.design();
    if (d.overlap == Overlap::none || program.preloads() == 0) return 1.0;
    auto const ahead = program.prefetches_per_preload() * std::max<std::int64_t>(1, d.buffers - 1);
    return as_double(std::min(d.outstanding, std::max<std::int64_t>(1, ahead)));
}

/// Total cycles of the overlapped machine, whose prefetches together take `memory`.
Expected overlapped_total(Program const& program, MachineConstants const& machine, Expected const& memory) {
    auto const count = std::max(1.0, as_double(program.prefetches()));
    auto const serial = as_double(program.total().sum());
    auto const& a = machine.sampling;
    // The number of refreshes in a short run differs from the mean by a few.
    auto const refreshes =
        program.design().refresh == Refresh::on
            ? a.refreshes_missed * cycles_of_ticks(program.design(), machine.hbm.timing, &HbmTiming::refresh_duration)
            : 0.0;
    auto const middle = overlapped(program, machine.hbm.timing, memory.value / count);
    auto const longest = overlapped(program, machine.hbm.timing, memory.upper / count);
    return {std::min(middle.cycles * middle.stretch, serial + memory.value),
            std::min(longest.cycles * longest.stretch * (1.0 + a.analytic_slack), serial + memory.upper) + refreshes};
}

Estimate between(double lower, Expected const& expected) {
    auto const value = std::max(lower, expected.value);
    return Estimate::within(value, lower, std::max(value, expected.upper), {Bound::proved, Bound::calibrated});
}

/// Terms of the lower bounds of one program.
class LowerBounds {
  public:
    LowerBounds(Program const& program, HbmTiming const& timing)
        : program_(program), timing_(timing), prefetch_(program, timing), blocks_(program) {}

    [[nodiscard]] SamplingLowerBound serial() const {
        auto const ticks = prefetch_.of_mask * mask() + prefetch_.alone * fetches() + prefetch_.row_ticks;
        return in_turn(ticks, as_double(program_.total().sum()));
    }
    [[nodiscard]] SamplingLowerBound overlapped() const {
        if (program_.design().buffers > 1 || program_.preloads() == 0) return ahead();
        auto const ticks = prefetch_.consecutive(per_block()) * count() + prefetch_.row_ticks;
        return in_turn(prefetch_.of_mask * mask() + ticks, prologue() + work());
    }

  private:
    [[nodiscard]] double mask() const { return as_double(program_.mask_prefetches()); }
    [[nodiscard]] double fetches() const { return as_double(program_.logit_prefetches()); }
    [[nodiscard]] double count() const { return as_double(blocks_.count()); }
    [[nodiscard]] double prologue() const { return as_double(program_.prologue().sum()); }
    [[nodiscard]] double per_block() const {
        return program_.preloads() > 0 ? as_double(program_.prefetches_per_preload()) : 0.0;
    }
    /// Lower bound of the work on all blocks. Blocks::phases() counts constant loads as in the last round; preloads
    /// with a single-instruction load take one scalar instruction less.
    [[nodiscard]] double work() const {
        double sum = 0.0;
        for (auto const& phase : blocks_.phases()) sum += phase.work * as_double(blocks_.repeats());
        if (program_.preloads() == 0) return sum;
        return sum - as_double(program_.near_preloads() * program_.costs().scalar);
    }
    /// Lower bound of fetches that take `ticks` and instructions that take `cycles`, all one after the other.
    [[nodiscard]] SamplingLowerBound in_turn(double ticks, double cycles) const {
        auto const refreshes =
            refreshes_of_alternating(program_, timing_, ticks + cycles, prefetch_.row_ticks_with_refresh);
        return {ticks + refreshes, ticks + refreshes + cycles};
    }
    /// Lower bound for fetches that run ahead of the work: the longest chain of fetches and works.
    [[nodiscard]] SamplingLowerBound ahead() const {
        auto const start = prologue() + prefetch_.of_mask * mask();
        auto const all = prefetch_.consecutive(fetches()) + prefetch_.row_ticks;
        auto const last = as_double(blocks_.work(blocks_.count() - 1));
        auto const works = start + prefetch_.consecutive(per_block()) + work();
        auto const fetched = prefetch_.of_mask * mask() + all;
        auto const refresh = has_clocks_of_hbm2(program_.design()) ? program_.design().refresh : Refresh::off;
        auto const refreshed = fetched + refreshes_of_overlapped(timing_, refresh, fetched);
        auto const memory = prefetch_.of_mask * mask() + prefetch_.busy(fetches()) + prefetch_.row_ticks;
        return {memory, std::max({works, start + all + last, refreshed, start + rows_in_turn()})};
    }
    /// Lower bound for rows whose chunks are fetched twice: the fetches of the first pass, its last work, and the works
    /// of the second pass up to the one that frees the buffer for which the first fetch of the next row waits.
    [[nodiscard]] double rows_in_turn() const {
        auto const& d = program_.design();
        auto const chunks = as_double(d.chunks_per_row()), buffers = as_double(d.buffers);
        if (program_.fetches_per_chunk() != 2 || chunks < buffers) return 0.0;
        auto const first = as_double(blocks_.work(d.chunks_per_row() - 1));
        auto const second = as_double(blocks_.work(d.chunks_per_row())) * (chunks - buffers + 1.0);
        return as_double(d.rows()) * (prefetch_.consecutive(chunks * per_block()) + first + second);
    }

    Program const& program_;
    HbmTiming const& timing_;
    PrefetchLowerBound prefetch_;
    Blocks blocks_;
};

}  // namespace

SamplingCost analytic_sampling(Program const& program, MachineConstants const& machine) {
    auto const lower = sampling_lower_bound(program, machine.hbm.timing);
    auto const prefetch = estimate_prefetch(program.design(), machine, usable_outstanding(program));
    auto const memory = with_refresh(program, machine, prefetch.times(as_double(program.prefetches())));
    auto const counts = program.total();
    auto const instructions = as_double(counts.sum());
    auto const total = program.design().overlap == Overlap::none
                           ? Expected{memory.value + instructions, memory.upper + instructions}
                           : overlapped_total(program, machine, memory);
    return {counts, program.prefetches(), between(lower.memory, memory), between(lower.total, total)};
}

SamplingLowerBound sampling_lower_bound(Program const& program, HbmTiming const& timing) {
    LowerBounds const lower_bounds(program, timing);
    auto const& d = program.design();
    if (d.overlap == Overlap::none) return lower_bounds.serial();
    auto const overlapped = lower_bounds.overlapped();
    if (!may_prefer_serial(d)) return overlapped;
    auto in_turn = d;
    in_turn.overlap = Overlap::none;
    auto const serial = LowerBounds(Program(in_turn, program.costs()), timing).serial();
    return {std::min(overlapped.memory, serial.memory), std::min(overlapped.total, serial.total)};
}

}  // namespace pimdse::models::dplena
