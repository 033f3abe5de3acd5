#include "models/dplena/hbm/prefetch_estimate.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::dplena {
namespace {

constexpr double table_channels = 16.0;
/// Fewer reads per pseudo-channel than this do not fill the bus: their time falls half as fast.
constexpr double reads_that_fill_the_bus = 4.0;

double reads_per_pseudo_channel(Design const& d, double channels) {
    return static_cast<double>(d.lines_per_prefetch()) / channels;
}

/// Where `value` lies on a grid of powers of two: the lower node and the fraction towards the next.
template <std::size_t N>
std::pair<std::size_t, double> place(std::array<std::int64_t, N> const& grid, std::int64_t value) {
    if (value <= grid.front()) return {0, 0.0};
    std::size_t at = 0;
    while (at + 2 < N && value >= grid[at + 1]) ++at;
    auto const fraction = static_cast<double>(value - grid[at]) / static_cast<double>(grid[at + 1] - grid[at]);
    return {at, fraction};
}

/// Bilinear; beyond the last node it goes on in the same direction, where the bus sets the time.
double interpolated(PrefetchTable const& table, Design const& d) {
    auto const& ticks = table.ticks[static_cast<std::size_t>(d.bus)];
    auto const [w, across] = place(table.widths, d.vlen);
    auto const [p, along] = place(table.vectors, d.prefetch);
    auto const low = std::lerp(ticks[w][p], ticks[w][p + 1], along);
    auto const high = std::lerp(ticks[w + 1][p], ticks[w + 1][p + 1], along);
    return std::lerp(low, high, across);
}

double bus_slots(double reads) {
    return reads >= reads_that_fill_the_bus ? reads : (reads + reads_that_fill_the_bus) / 2.0;
}

bool line_holds(Design const& d, double reads) {
    return d.bus == Bus::compat && d.vlen >= 2048 && d.mx_block == 8 && d.prefetch * d.vlen >= 4096 && reads <= 35.0 &&
           reads >= reads_that_fill_the_bus;
}

double estimate(Design const& d, PrefetchTable const& table, HbmTiming const& timing, double floor) {
    auto const reads = reads_per_pseudo_channel(d, static_cast<double>(d.channels));
    if (line_holds(d, reads)) return table.base + table.per_read * reads;
    auto const bus = static_cast<double>(timing.bus[static_cast<std::size_t>(d.bus)]);
    auto const shift = bus * (bus_slots(reads) - bus_slots(reads_per_pseudo_channel(d, table_channels)));
    return std::max(interpolated(table, d) + shift, floor);
}

}  // namespace

Estimate estimate_prefetch(Design const& d, PrefetchTable const& table, HbmTiming const& timing) {
    auto const reads = reads_per_pseudo_channel(d, static_cast<double>(d.channels));
    auto const bus = static_cast<double>(timing.bus[static_cast<std::size_t>(d.bus)]);
    auto const alone = (std::ceil(reads) - 1.0) * bus + static_cast<double>(timing.read_latency + timing.burst);
    auto const value = estimate(d, table, timing, alone);
    bool const line = line_holds(d, reads);
    auto const high = line ? 1.1 * value : 1.6 * value + 8.0;
    auto const low = line ? std::max(alone, 0.9 * value) : alone;
    if (d.overlap == Overlap::none || d.outstanding == 1 || d.buffers == 1)
        return Estimate::within(value, low, high, Bound::calibrated);
    // Prefetches that overlap each other share the bus but hide each other's latency.
    constexpr double bus_is_never_full = 1.1;
    auto const together = std::max(bus_is_never_full * bus * reads, value / static_cast<double>(d.outstanding));
    return Estimate::within(std::min(together, value), 0.95 * bus * reads, high, Bound::calibrated);
}

}  // namespace pimdse::models::dplena
