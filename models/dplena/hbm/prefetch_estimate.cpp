#include "models/dplena/hbm/prefetch_estimate.hpp"

#include "models/dplena/hbm/clocks.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::dplena {
namespace {

using sim::as_double;

double reads_per_pseudo_channel(Design const& d, std::int64_t channels) {
    return static_cast<double>(d.lines_per_prefetch()) / static_cast<double>(channels);
}

/// Position of `value` on a grid: the lower node and the fraction of the distance to the next one.
template <std::size_t N>
std::pair<std::size_t, double> place(std::array<std::int64_t, N> const& grid, std::int64_t value) {
    if (value <= grid.front()) return {0, 0.0};
    std::size_t at = 0;
    while (at + 2 < N && value >= grid[at + 1]) ++at;
    auto const fraction = static_cast<double>(value - grid[at]) / static_cast<double>(grid[at + 1] - grid[at]);
    return {at, fraction};
}

/// Bilinear interpolation in the table. Beyond the last node, where the bus limits the time, it extrapolates linearly.
double interpolated(PrefetchTable const& table, Design const& d) {
    auto const& ticks = table.ticks[static_cast<std::size_t>(d.generation_of_hbm)][static_cast<std::size_t>(d.bus)];
    auto const [w, across] = place(table.widths, d.data_lines() * line_bytes);
    auto const [p, along] = place(table.vectors, d.prefetch);
    auto const lower = std::lerp(ticks[w][p], ticks[w][p + 1], along);
    auto const upper = std::lerp(ticks[w + 1][p], ticks[w + 1][p + 1], along);
    return std::lerp(lower, upper, across);
}

/// Inputs of the closed form of the time of a prefetch.
struct EstimateForm {
    Design const& design;
    PrefetchTable const& table;
    EstimateAllowances const& allowances;
    double bus = 0.0;        ///< ticks between reads of a pseudo-channel
    double reads = 0.0;      ///< reads per pseudo-channel
    bool on_a_line = false;  ///< whether the straight line is valid; otherwise the table is used
};

/// Equivalent number of reads: fewer reads than fill the bus reduce the time only half as fast.
double bus_slots(double reads, EstimateAllowances const& a) {
    return reads >= a.reads_that_fill_the_bus ? reads : (reads + a.reads_that_fill_the_bus) / 2.0;
}

bool line_holds(Design const& d, double reads, EstimateAllowances const& a) {
    return d.bus == Bus::compat && d.addressing == Addressing::bytes && d.scale_lines() == 1 &&
           d.vlen >= a.line_min_vlen && d.mx_block == a.line_mx_block && d.prefetch * d.vlen >= a.line_min_width &&
           reads <= a.line_max_reads && reads >= a.reads_that_fill_the_bus;
}

double estimate(EstimateForm const& form, double floor) {
    if (form.on_a_line) return form.table.base + form.table.per_read * form.reads;
    auto const measured = reads_per_pseudo_channel(form.design, form.table.channels);
    auto const shift = form.bus * (bus_slots(form.reads, form.allowances) - bus_slots(measured, form.allowances));
    return std::max(interpolated(form.table, form.design) + shift, floor);
}

/// Upper factor of the table. Accesses to scales and to elements close each other's rows, so it grows with the share of
/// scales.
double table_upper(Design const& d, EstimateAllowances const& a) {
    if (d.scale_lines() == 0) return a.table_upper;
    auto const scale_share = 1.0 / (static_cast<double>(d.mx_block) * d.element_bytes());
    return a.table_upper * (1.0 + a.scales_upper * scale_share);
}

/// Ticks that opening a row adds to a read, in the time of HBM2. It is a mean of many, so it is not rounded to ticks.
double ticks_of_opening(Design const& d, MachineConstants const& machine) {
    auto const& t = machine.hbm.timing;
    return as_double(t.precharge + t.activate_to_read) * (hbm_clock(d, machine) / machine.silicon.frequency);
}

/// Cycles of the units in these ticks: half an edge of either clock is lost.
double with_clocks(Design const& d, HbmTiming const& hbm2, double ticks) {
    if (has_clocks_of_hbm2(d)) return ticks;
    auto const clocks = clocks_of(d, hbm2);
    auto const per_tick = clocks.cycles_per_tick();
    return ticks * per_tick + (clocks.are_equal() ? 0.0 : (1.0 + per_tick) / 2.0);
}

/// Integral of max(0, duration - x) for x from 0 to gap: the delay after a gap, integrated over the start of a refresh
/// in the gap.
double delay_of_gap(double gap, double duration) {
    auto const felt = std::min(gap, duration);
    return duration * felt - felt * felt / 2.0;
}

/// Delay by one refresh, averaged over its start in the run.
double mean_delay(Program const& program, double memory, double duration) {
    auto const preloads = as_double(program.preloads());
    auto const inner = as_double(program.logit_prefetches()) - preloads;
    auto const bump = as_double(program.prefetch_bumps(1).sum());
    auto const elsewhere = as_double(program.total().sum()) - inner * bump;
    auto const total = memory + as_double(program.total().sum());
    auto const outer = preloads > 0.0 ? preloads * delay_of_gap(elsewhere / preloads, duration) : 0.0;
    return (memory * duration + inner * delay_of_gap(bump, duration) + outer) / total;
}

}  // namespace

double cycles_of_ticks(Design const& d, HbmTiming const& hbm2, std::int64_t HbmTiming::*timer) {
    return as_double(timing_of(hbm2, d.generation_of_hbm).*timer) * clocks_of(d, hbm2).cycles_per_tick();
}

Expected estimate_prefetch(Design const& d, MachineConstants const& machine, double outstanding) {
    auto const& a = machine.estimate;
    auto const& hbm2 = machine.hbm.timing;
    auto const timing = timing_of(hbm2, d.generation_of_hbm);
    auto const reads = reads_per_pseudo_channel(d, d.channels);
    auto const bus = static_cast<double>(timing.bus[static_cast<std::size_t>(d.bus)]);
    bool const line = has_clocks_of_hbm2(d) && line_holds(d, reads, a);
    auto const alone = (std::ceil(reads) - 1.0) * bus + static_cast<double>(timing.read_latency + timing.burst);
    // Without scales, whose reads close the rows of data, half of the prefetches open a row.
    auto const ticks = d.scale_lines() == 0 ? alone + ticks_of_opening(d, machine) / 2.0
                                            : estimate({d, machine.prefetch, a, bus, reads, line}, alone);
    auto const value = with_clocks(d, hbm2, ticks);
    auto const per_tick = clocks_of(d, hbm2).cycles_per_tick();
    auto const upper = line ? a.line_upper * value : table_upper(d, a) * value + a.table_upper_ticks * per_tick;
    // Concurrent prefetches share the bus but hide each other's latency.
    auto const together = std::max(a.bus_never_full * bus * reads * per_tick, value / outstanding);
    return {outstanding > 1.0 ? std::min(together, value) : value, upper};
}

Expected with_refresh(Program const& program, MachineConstants const& machine, Expected const& memory) {
    if (program.design().refresh == Refresh::off) return memory;
    auto const& allowances = machine.estimate;
    auto const ticks = [&](std::int64_t HbmTiming::*timer) {
        return cycles_of_ticks(program.design(), machine.hbm.timing, timer);
    };
    auto const interval = ticks(&HbmTiming::refresh_interval), duration = ticks(&HbmTiming::refresh_duration);
    if (program.design().overlap != Overlap::none) {
        auto const stretch = interval / (interval - duration);
        return {memory.value * stretch,
                memory.upper * stretch * allowances.refresh_upper + allowances.refreshes_met * duration};
    }
    auto const instructions = as_double(program.total().sum());
    auto const delay = mean_delay(program, memory.value, duration);
    auto const max = (memory.upper + instructions) / (1.0 - allowances.refresh_upper * duration / interval);
    return {(memory.value + instructions) / (1.0 - delay / interval) - instructions,
            max - instructions + allowances.refreshes_met * duration};
}

double refresh_stretch(Design const& design, HbmTiming const& timing, double work_per_block) {
    if (design.refresh == Refresh::off || design.overlap == Overlap::fused_head || design.buffers == 1) return 1.0;
    auto const ahead = as_double(design.buffers - 1) * work_per_block;
    auto const felt = std::max(0.0, cycles_of_ticks(design, timing, &HbmTiming::refresh_duration) - ahead);
    return 1.0 / (1.0 - felt / cycles_of_ticks(design, timing, &HbmTiming::refresh_interval));
}

}  // namespace pimdse::models::dplena
