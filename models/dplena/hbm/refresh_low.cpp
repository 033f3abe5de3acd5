#include "models/dplena/hbm/refresh_low.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::dplena {
namespace {

using sim::as_double;

/// Ticks that a refresh takes at least of a prefetch, if it begins `before` ticks before it at most: it may begin
/// while the last read of a prefetch arrives, and where two reads are apart anyway; behind it all banks are closed.
double taken(HbmTiming const& t, double before) {
    auto const apart = as_double(*std::max_element(t.bus.begin(), t.bus.end()));
    auto const quiet = as_double(t.refresh_duration + t.activate_to_read);
    return std::max(0.0, quiet - as_double(t.read_latency + t.burst) - apart - before);
}

/// Times without a prefetch under way, of one kind: how many, and none longer.
struct Waits {
    double count = 0.0, longest = 0.0;
    [[nodiscard]] double refreshes(double interval) const { return count * (std::floor(longest / interval) + 1.0); }
};

/// Of the longest times without a prefetch: where a row ends, or a group of sequences and before all.
Waits long_waits(Program const& program) {
    auto const& d = program.design();
    auto const before = program.prologue().sum() + program.preload_header(program.costs().immediate_limit + 1).sum();
    auto const rows = d.mode == Mode::edge ? d.rows() : program.preloads();
    auto const each = program.total().sum() / std::max<std::int64_t>(1, rows) + 1;
    return {as_double(rows + 2), as_double(before + each)};
}

/// Between preloads of a row, where it has several.
Waits short_waits(Program const& program) {
    auto const& d = program.design();
    if (d.mode == Mode::performance) return {};
    auto const vectors = d.vectors_per_chunk();
    auto const first = program.maximum_pass(vectors).sum(), second = program.sum_pass(vectors).sum();
    auto const passes = program.fetches_per_chunk() == 2 ? std::max(first, second) : first + second;
    auto const header = program.preload_header(program.costs().immediate_limit + 1) +
                        program.prefetch_bumps(program.prefetches_per_preload());
    auto const other = header + program.between_passes(0) + program.chunk_end();
    return {as_double(program.preloads()), as_double(passes + other.sum())};
}

/// Of `refreshes` begun, as many as can be where they take the least.
double taken_by(double refreshes, Program const& program, HbmTiming const& t) {
    double ticks = 0.0;
    for (auto const& waits : {long_waits(program), short_waits(program)}) {
        auto const here = std::min(refreshes, waits.refreshes(as_double(t.refresh_interval)));
        ticks += here * taken(t, waits.longest);
        refreshes -= here;
    }
    return ticks + refreshes * taken(t, as_double(program.prefetch_bumps(1).sum()));
}

/// Refreshes that begin in a run of `cycles`.
double begun_in(double cycles, HbmTiming const& t) {
    return std::max(0.0, std::floor((cycles - 1.0) / as_double(t.refresh_interval)));
}

/// A run of `cycles` with `refreshes` at least, and with rows: with just as many it takes what these leave of the rows,
/// with more it is over when the next has begun.
double with_rows(double cycles, double refreshes, Program const& program, HbmTiming const& t, RowTicks const& rows) {
    constexpr int rounds = 4;
    auto const interval = as_double(t.refresh_interval);
    double low = 0.0;
    for (int i = 0; i < rounds; ++i) {
        auto const taken = taken_by(refreshes, program, t);
        auto const just = cycles + rows.ticks - refreshes * rows.lost_by_a_refresh + taken;
        auto const next = (refreshes + 1.0) * interval + 1.0;
        low = std::min(just, next);
        if (just < next) break;
        // So few are too few, and so are more as long as that holds for them.
        refreshes = std::floor((cycles + rows.ticks + taken - interval - 1.0) / (interval + rows.lost_by_a_refresh));
        refreshes += 1.0;
    }
    return low;
}

}  // namespace

double refreshes_in_turn(Program const& program, HbmTiming const& timing, double cycles, RowTicks const& rows) {
    if (program.design().refresh == Refresh::off || program.preloads() == 0) return 0.0;
    constexpr int rounds = 4;  // each is a low of its own; they rise to where nothing changes
    double ticks = 0.0;
    for (int i = 0; i < rounds; ++i) ticks = taken_by(begun_in(cycles + ticks, timing), program, timing);
    if (rows.ticks == 0.0) return ticks;
    return std::max(ticks, with_rows(cycles, begun_in(cycles + ticks, timing), program, timing, rows) - cycles);
}

double refreshes_beside(HbmTiming const& timing, Refresh refresh, double ticks) {
    if (refresh == Refresh::off) return 0.0;
    auto const interval = as_double(timing.refresh_interval), duration = as_double(timing.refresh_duration);
    auto const share = taken(timing, 0.0) / interval;
    // Whole refreshes of a run of T ticks: more than (T - duration) / interval - 1.
    return std::max(0.0, (share * (ticks - duration - interval)) / (1.0 - share));
}

}  // namespace pimdse::models::dplena
