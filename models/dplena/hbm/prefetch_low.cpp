#include "models/dplena/hbm/prefetch_low.hpp"

#include "models/dplena/hbm/aligned_low.hpp"
#include "models/dplena/hbm/busiest.hpp"
#include "models/dplena/hbm/fetching.hpp"
#include "models/dplena/hbm/openings.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::dplena {
namespace {

using sim::as_double;

/// What rows that have to be opened add to prefetches of which the busiest pseudo-channel has `reads`, by counting
/// them.
double counted_ticks(Program const& program, HbmTiming const& t, std::int64_t bus, std::int64_t reads) {
    auto const& d = program.design();
    auto const openings = openings_of(program);
    auto const open = t.precharge + t.activate_to_read, filled = (reads - 1) * bus;
    auto const of_data = std::max<std::int64_t>(1, 2 * d.prefetch * d.data_lines() / pseudo_channels(d));
    auto const fresh = std::max<std::int64_t>(0, open + (of_data - 1) * bus - filled);
    auto const switched = std::max<std::int64_t>(0, open - filled);
    return as_double(openings.fresh * fresh + (openings.switched - openings.fresh) * switched);
}

}  // namespace

PrefetchLow::PrefetchLow(Program const& program, HbmTiming const& timing) {
    auto const& d = program.design();
    auto const ticks = timing.bus[static_cast<std::size_t>(d.bus)];
    auto const busiest = busiest_reads(program);
    latency = as_double(timing.read_latency + timing.burst);
    bus = as_double(ticks);
    of_mask = latency + as_double((even_reads(d) - 1) * ticks);
    alone = latency + as_double((busiest - 1) * ticks);
    spread = as_double(d.lines_per_prefetch()) / as_double(d.channels);
    outstanding = as_double(fetching_of(d).outstanding);
    if (outstanding > 1.0) return;
    auto const aligned = AlignedLow::of(program, timing, busiest);
    auto const low = timing.read_latency + timing.burst + (busiest - 1) * ticks;
    auto const of_rows = aligned ? RowTicks{aligned->beyond(low), aligned->lost_by_a_refresh(low)} : RowTicks{};
    if (d.refresh == Refresh::on) {
        refreshed = of_rows;
    } else {
        openings = std::max(counted_ticks(program, timing, ticks, busiest), of_rows.ticks);
    }
}

double PrefetchLow::in_a_row(double prefetches) const {
    if (outstanding == 1.0 || prefetches == 0.0) return prefetches * alone;
    auto const reads = std::ceil(prefetches * spread);
    return std::max(latency + (reads - 1.0) * bus, std::ceil(prefetches / outstanding) * alone);
}

double PrefetchLow::busy(double prefetches) const {
    return std::max(prefetches * alone / outstanding, prefetches * spread * bus);
}

}  // namespace pimdse::models::dplena
