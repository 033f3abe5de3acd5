#include "models/dplena/hbm/refresh_low.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::dplena {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

/// Ticks that a refresh takes at least of a prefetch, if it begins `before` ticks before it at most: it may begin
/// while the last read of a prefetch arrives, and where two reads are apart anyway.
double taken(HbmTiming const& t, double before) {
    auto const apart = as_double(*std::max_element(t.bus.begin(), t.bus.end()));
    return std::max(0.0, as_double(t.refresh_duration - t.read_latency - t.burst) - apart - before);
}

/// Times without a prefetch under way, of one kind: how many, and none longer.
struct Gaps {
    double count = 0.0, longest = 0.0;
    [[nodiscard]] double refreshes(double interval) const { return count * (std::floor(longest / interval) + 1.0); }
};

/// Of the longest times without a prefetch: where a row ends, or a group of sequences and before all.
Gaps long_gaps(Program const& program) {
    auto const& d = program.design();
    auto const before = program.prologue().sum() + program.preload_header(program.costs().immediate_limit + 1).sum();
    auto const rows = d.mode == Mode::edge ? d.rows() : program.preloads();
    auto const each = program.total().sum() / std::max<std::int64_t>(1, rows) + 1;
    return {as_double(rows + 2), as_double(before + each)};
}

/// Between preloads of a row, where it has several.
Gaps short_gaps(Program const& program) {
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
    for (auto const& gaps : {long_gaps(program), short_gaps(program)}) {
        auto const here = std::min(refreshes, gaps.refreshes(as_double(t.refresh_interval)));
        ticks += here * taken(t, gaps.longest);
        refreshes -= here;
    }
    return ticks + refreshes * taken(t, as_double(program.prefetch_bumps(1).sum()));
}

}  // namespace

double refreshes_in_turn(Program const& program, HbmTiming const& timing, double cycles) {
    if (program.design().refresh == Refresh::off || program.preloads() == 0) return 0.0;
    constexpr int rounds = 4;  // each is a low of its own; they rise to where nothing changes
    double ticks = 0.0;
    for (int i = 0; i < rounds; ++i) {
        auto const begun = std::floor((cycles + ticks - 1.0) / as_double(timing.refresh_interval));
        ticks = taken_by(std::max(0.0, begun), program, timing);
    }
    return ticks;
}

double refreshes_beside(HbmTiming const& timing, Refresh refresh, double ticks) {
    if (refresh == Refresh::off) return 0.0;
    auto const interval = as_double(timing.refresh_interval), duration = as_double(timing.refresh_duration);
    auto const share = taken(timing, 0.0) / interval;
    // Whole refreshes of a run of T ticks: more than (T - duration) / interval - 1.
    return std::max(0.0, (share * (ticks - duration - interval)) / (1.0 - share));
}

}  // namespace pimdse::models::dplena
