#include "models/dplena/lows.hpp"

#include "models/dplena/hbm/prefetch_low.hpp"
#include "models/dplena/hbm/refresh_low.hpp"
#include "models/dplena/program/blocks.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

using sim::as_double;

/// What the lows of one program are made of.
class Lows {
  public:
    Lows(Program const& program, HbmTiming const& timing)
        : program_(program), timing_(timing), prefetch_(program, timing), blocks_(program) {}

    [[nodiscard]] SamplingLow serial() const {
        auto const ticks = prefetch_.of_mask * mask() + prefetch_.alone * fetches() + prefetch_.openings;
        return in_turn(ticks, as_double(program_.total().sum()));
    }
    [[nodiscard]] SamplingLow overlapped() const {
        if (program_.design().buffers > 1 || program_.preloads() == 0) return ahead();
        auto const ticks = prefetch_.in_a_row(per_block()) * count() + prefetch_.openings;
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
    /// Of all blocks: those whose constants load in one instruction count as those of the last round.
    [[nodiscard]] double work() const;
    /// Fetches that take `ticks` and instructions that take `cycles`, none beside another.
    [[nodiscard]] SamplingLow in_turn(double ticks, double cycles) const {
        auto const refreshes = refreshes_in_turn(program_, timing_, ticks + cycles, prefetch_.refreshed);
        return {ticks + refreshes, ticks + refreshes + cycles};
    }
    /// Fetches that run ahead of the work: the longest of the chains of fetches and works.
    [[nodiscard]] SamplingLow ahead() const;
    [[nodiscard]] double rows_in_turn() const;

    Program const& program_;
    HbmTiming const& timing_;
    PrefetchLow prefetch_;
    Blocks blocks_;
};

double Lows::work() const {
    double sum = 0.0;
    for (auto const& phase : blocks_.phases()) sum += phase.work * as_double(blocks_.repeats());
    if (program_.preloads() == 0) return sum;
    return sum - as_double(program_.near_preloads() * program_.costs().scalar);
}

/// Rows whose chunks are fetched twice: the fetches of the first pass, its last work and the works of the second pass
/// up to the one that frees the place which the next row's first fetch waits for.
double Lows::rows_in_turn() const {
    auto const& d = program_.design();
    auto const chunks = as_double(d.chunks_per_row()), places = as_double(d.buffers);
    if (program_.fetches_per_chunk() != 2 || chunks < places) return 0.0;
    auto const first = as_double(blocks_.work(d.chunks_per_row() - 1));
    auto const second = as_double(blocks_.work(d.chunks_per_row())) * (chunks - places + 1.0);
    return as_double(d.rows()) * (prefetch_.in_a_row(chunks * per_block()) + first + second);
}

SamplingLow Lows::ahead() const {
    auto const start = prologue() + prefetch_.of_mask * mask();
    auto const all = prefetch_.in_a_row(fetches()) + prefetch_.openings;
    auto const last = as_double(blocks_.work(blocks_.count() - 1));
    auto const works = start + prefetch_.in_a_row(per_block()) + work();
    auto const fetched = prefetch_.of_mask * mask() + all;
    auto const refreshed = fetched + refreshes_beside(timing_, program_.design().refresh, fetched);
    auto const memory = prefetch_.of_mask * mask() + prefetch_.busy(fetches()) + prefetch_.openings;
    return {memory, std::max({works, start + all + last, refreshed, start + rows_in_turn()})};
}

}  // namespace

SamplingLow sampling_low(Program const& program, HbmTiming const& timing) {
    Lows const lows(program, timing);
    auto const& d = program.design();
    if (d.overlap == Overlap::none) return lows.serial();
    auto const overlapped = lows.overlapped();
    if (d.refresh == Refresh::off && d.outstanding == 1) return overlapped;
    auto in_turn = d;
    in_turn.overlap = Overlap::none;
    auto const serial = Lows(Program(in_turn, program.costs()), timing).serial();
    return {std::min(overlapped.memory, serial.memory), std::min(overlapped.total, serial.total)};
}

}  // namespace pimdse::models::dplena
