#include "models/upmem/metrics.hpp"

#include "models/contract/common_metrics.hpp"
#include "models/contract/metric_table.hpp"
#include "models/upmem/request.hpp"
#include "sim/base/units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pimdse::models::upmem {
namespace {

using Table = MetricTable<Report>;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

Estimate between(double low, double value, double high, sim::BoundKinds kinds) {
    auto const [least, most] = std::minmax({low, value, high});
    return std::isnan(value) ? Estimate::unbounded(value) : Estimate::within(value, least, most, kinds).on(kinds);
}

/// Nothing but a calibration stands behind the spread of transfers.
sim::BoundKinds kinds_of(Report const& r) { return r.costs.kinds.weaker(Bound::calibrated); }

double saved(Case const& c) { return std::max(0.0, (c.t.input + c.t.offload + c.t.kernel - c.t.overlapped).si); }

/// A figure at all ends of cycles and transfers: it rises or falls with either.
template <auto figure>
Estimate bounded(Report const& r) {
    double const value = figure(r, r.value);
    double low = value, high = value;
    for (auto const& end : r.ends) {
        low = std::min(low, figure(r, end));
        high = std::max(high, figure(r, end));
    }
    return between(low, value, high, kinds_of(r));
}

/// Neither rises nor falls with the times of its parts: nothing to everything.
Estimate overlap(Report const& r) {
    double const shorter = r.value.shorter(), value = shorter > 0.0 ? saved(r.value) / shorter : 0.0;
    return Estimate::within(value, 0.0, std::max(1.0, value), Bound::calibrated);
}

/// A figure of the design itself.
template <auto figure>
Estimate exactly(Report const& r) {
    double const value = figure(r);
    return std::isnan(value) ? Estimate::unbounded(value) : Estimate::exact(value);
}

/// How much faster the streams are than one stream, at the same transfers: a ratio of two uncertain times, so both ends
/// of each.
template <sim::Time Timeline::*until>
Estimate speedup(Report const& r) {
    if (r.is_reference) return Estimate::exact(1.0);
    auto const ratio = [](Timeline const& one, Timeline const& streams) {
        return (one.*until).si / (streams.*until).si;
    };
    auto const own = [&](StreamTimes const& times) { return ratio(times.one, times.streams); };
    auto gain = between(own(r.low_cycles), own(r.usual), own(r.high_cycles), r.costs.kinds);
    gain.low = std::min(gain.low, ratio(r.low_cycles.one, r.high_cycles.streams));
    gain.high = std::max(gain.high, ratio(r.high_cycles.one, r.low_cycles.streams));
    return gain;
}

double dpus(Report const& r) { return static_cast<double>(r.d.dpus); }

double sram(Report const& r) {
    auto const family = index(family_of(r.d.preset));
    auto const& f = r.p.machine;
    return dpus(r) * (f.wram_size[family].si + f.iram_size.si + f.register_file.si * static_cast<double>(r.d.tasklets));
}

double footprint(Report const& r) { return r.plan.resident * dpus(r) + host_table_bytes(r.p, r.d); }

double weight_bits(Report const& r) {
    constexpr double byte = 8;
    double const bytes = r.p.kernels[r.d.kernel].mac_bytes;
    return bytes > 0.0 ? byte * bytes : unknown;
}

double between_tokens(Report const& r, Case const& c) {
    return r.d.output > 1 ? (c.t.total.si - c.first) / static_cast<double>(r.d.output - 1) : unknown;
}

void add_common(Table& table) {
    table.row(common_metric("latency", "total_time"),
              bounded<([](Report const&, Case const& c) { return c.t.total.si; })>);
    table.row(common_metric("ttft", "of scope end_to_end"),
              bounded<([](Report const&, Case const& c) { return c.first; })>);
    table.row(
        common_metric("itl", "of scope end_to_end"),
        bounded<([](Report const& r, Case const& c) { return std::isnan(c.first) ? c.first : between_tokens(r, c); })>);
    table.row(common_metric("tokens_per_second", "of scope end_to_end"),
              bounded<([](Report const& r, Case const& c) { return r.tokens() / c.t.total.si; })>);
    table.row(common_metric("energy", "without the host's idle power", true),
              bounded<([](Report const&, Case const& c) { return c.energy; })>);
    table.row(common_metric("energy_per_token", "of scope end_to_end", true),
              bounded<([](Report const& r, Case const& c) { return c.energy / r.tokens(); })>);
    table.row(common_metric("power", "", true),
              bounded<([](Report const&, Case const& c) { return c.energy / c.t.total.si; })>);
    table.row(common_metric("idle_power", "all DPUs of the ranks, without the host", true),
              exactly<([](Report const& r) { return idle_power(r.p.machine, r.d).si; })>);
    table.row(common_metric("area", "of DPUs, all of the ranks, without the host", true), exactly<([](Report const& r) {
                  auto const areas = areas_of(r.p.machine, r.d);
                  return (areas.logic + areas.sram).si;
              })>);
    table.row(common_metric("memory_area", "", true),
              exactly<([](Report const& r) { return areas_of(r.p.machine, r.d).memory.si; })>);
    table.row(common_metric("footprint", "MRAM of all DPUs; of a request also the embedding in the host's memory"),
              exactly<footprint>);
    table.row(common_metric("precision", "of kernels with weights"), exactly<weight_bits>);
}

void add_times(Table& table) {
    using enum Sense;
    table.row({"kernel_cycles", "cycles", "DPU cycles of all launches, busiest DPU, without launch cost"},
              bounded<([](Report const&, Case const& c) { return c.kernel_cycles; })>);
    table.row({"kernel_time", "s", "all launches: their cycles, and with the hardware preset the launch cost"},
              bounded<([](Report const&, Case const& c) { return c.t.kernel.si; })>);
    table.row({"input_time", "s", "all transfers to the DPUs, overlapped or not"},
              bounded<([](Report const&, Case const& c) { return c.t.input.si; })>);
    table.row({"output_time", "s", "all transfers from the DPUs"},
              bounded<([](Report const&, Case const& c) { return c.t.output.si; })>);
    table.row(
        {"host_time", "s", "what the host computes: sums and scans over DPUs, exchanges; of a model all but products"},
        bounded<([](Report const&, Case const& c) { return (c.t.exchange + c.t.host).si; })>);
    table.row({"launch_time", "s", "the launch cost contained in kernel_time"},
              bounded<([](Report const&, Case const& c) { return c.t.launch.si; })>);
    table.row({"total_time", "s", "from the first byte sent to the last byte received"},
              bounded<([](Report const&, Case const& c) { return c.t.total.si; })>);
    table.row({"stream_speedup", "1", "time of one stream over time of all streams, input and compute only", maximize},
              speedup<&Timeline::overlapped>);
    table.row({"stream_speedup_total", "1", "the same with the output counted", maximize}, speedup<&Timeline::total>);
}

void add_shares(Table& table) {
    using enum Sense;
    table.row({"transfer_share", "1", "input and output over input, output and kernel time"},
              bounded<([](Report const&, Case const& c) { return c.moved() / (c.moved() + c.t.kernel.si); })>);
    table.row({"overlap_share", "1", "time saved by overlap over the shorter of input and kernel time", maximize},
              overlap);
    table.row({"issue_utilisation", "1", "cycles in which an instruction issues over kernel cycles", maximize},
              bounded<([](Report const&, Case const& c) { return std::min(1.0, c.issue_busy / c.kernel_cycles); })>);
    table.row({"dma_utilisation", "1", "cycles in which the MRAM server is busy over kernel cycles", maximize},
              bounded<([](Report const&, Case const& c) { return std::min(1.0, c.dma_busy / c.kernel_cycles); })>);
}

void add_sizes(Table& table) {
    table.row({"mram_per_dpu", "B", "MRAM that the data occupies in the fullest DPU"},
              exactly<([](Report const& r) { return r.plan.resident; })>);
    table.row({"sram", "B", "WRAM, IRAM and registers of the DPUs and tasklets used"}, exactly<sram>);
    table.row({"banks", "1", "MRAM banks of all DPUs used"},
              exactly<([](Report const& r) { return dpus(r) * (r.d.lock == Lock::double_bank ? 2.0 : 1.0); })>);
}

void add_counters(Table& table) {
    using enum Sense;
    table.row({"instructions", "1", "cycles in which an instruction issued, all launches; cycle fidelity only", none},
              exactly<([](Report const& r) { return r.costs.counted.instructions; })>);
    table.row({"idle_dma", "cycles", "nobody could issue and a tasklet waited for MRAM; cycle fidelity only", none},
              exactly<([](Report const& r) { return r.costs.counted.idle_dma; })>);
    table.row({"idle_other", "cycles", "nobody could issue for another reason; cycle fidelity only", none},
              exactly<([](Report const& r) { return r.costs.counted.idle_other; })>);
    table.row({"back_pressure", "cycles", "the pipeline refused to issue; cycle fidelity only", none},
              exactly<([](Report const& r) { return r.costs.counted.back_pressure; })>);
    table.row({"hazard_cycles", "cycles", "extra cycles of register conflicts; cycle fidelity only", none},
              exactly<([](Report const& r) { return r.costs.counted.hazard_cycles; })>);
}

Table make_table() {
    Table table;
    add_times(table);
    add_shares(table);
    add_common(table);
    add_sizes(table);
    add_counters(table);
    return table;
}

}  // namespace

void Counted::add(double times, Counted const& of_one) {
    instructions += times * of_one.instructions;
    idle_dma += times * of_one.idle_dma;
    idle_other += times * of_one.idle_other;
    back_pressure += times * of_one.back_pressure;
    hazard_cycles += times * of_one.hazard_cycles;
}

Costs& Costs::operator+=(Costs const& next) {
    issue_busy += next.issue_busy;
    dma_busy += next.dma_busy;
    counted.add(1.0, next.counted);
    kinds = kinds.weaker(next.kinds);
    return *this;
}

double Report::tokens() const { return d.is_request() ? static_cast<double>(d.batch * d.output) : unknown; }

MetricList metrics() { return make_table().metrics(); }

Metrics metrics_of(Report const& report) {
    static auto const table = make_table();
    return table.of(report);
}

}  // namespace pimdse::models::upmem
