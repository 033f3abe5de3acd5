#include "models/upmem/metrics.hpp"

#include "models/contract/metric_table.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::upmem {
namespace {

Estimate between(double low, double value, double high, sim::BoundKinds kinds) {
    auto const [least, most] = std::minmax({low, value, high});
    return std::isnan(value) ? Estimate::unbounded(value) : Estimate::within(value, least, most, kinds);
}

/// s
double saved(Case const& c) { return std::max(0.0, (c.t.input + c.t.offload + c.t.kernel - c.t.overlapped).si); }

template <auto figure>
Estimate bounded(Report const& r) {
    return between(figure(r.low), figure(r.value), figure(r.high), r.value.costs.kinds);
}

/// How much faster the streams are than one stream: a ratio of two uncertain times, so both ends of each.
template <sim::Time Timeline::*until>
Estimate speedup(Report const& r) {
    auto const ratio = [](Timeline const& one, Timeline const& streams) {
        return (one.*until).si / (streams.*until).si;
    };
    auto gain = between(ratio(r.low.one, r.low.t), ratio(r.value.one, r.value.t), ratio(r.high.one, r.high.t),
                        r.value.costs.kinds);
    if (r.is_reference) return gain;
    gain.low = std::min(gain.low, ratio(r.low.one, r.high.t));
    gain.high = std::max(gain.high, ratio(r.high.one, r.low.t));
    return gain;
}

MetricTable<Report> make_table() {
    using enum Sense;
    MetricTable<Report> table;
    table.row({"kernel_cycles", "cycles", "DPU cycles of all launches, busiest DPU, without launch cost"},
              bounded<([](Case const& c) { return c.kernel_cycles; })>);
    table.row({"kernel_time", "s", "all launches: their cycles, and with the hardware preset the launch cost"},
              bounded<([](Case const& c) { return c.t.kernel.si; })>);
    table.row({"input_time", "s", "all transfers to the DPUs, overlapped or not"},
              bounded<([](Case const& c) { return c.t.input.si; })>);
    table.row({"output_time", "s", "all transfers from the DPUs"},
              bounded<([](Case const& c) { return c.t.output.si; })>);
    table.row({"launch_time", "s", "the launch cost contained in kernel_time"},
              bounded<([](Case const& c) { return c.t.launch.si; })>);
    table.row({"total_time", "s", "from the first byte sent to the last byte received"},
              bounded<([](Case const& c) { return c.t.total.si; })>);
    table.row({"stream_speedup", "1", "time of one stream over time of all streams, input and compute only", maximize},
              speedup<&Timeline::overlapped>);
    table.row({"stream_speedup_total", "1", "the same with the output counted", maximize}, speedup<&Timeline::total>);
    table.row({"transfer_share", "1", "input and output over input, output and kernel time"},
              bounded<([](Case const& c) { return c.moved() / (c.moved() + c.t.kernel.si); })>);
    table.row({"overlap_share", "1", "time saved by overlap over the shorter of input and kernel time", maximize},
              bounded<([](Case const& c) { return c.shorter() > 0.0 ? saved(c) / c.shorter() : 0.0; })>);
    table.row({"issue_utilisation", "1", "cycles in which an instruction issues over kernel cycles", maximize},
              bounded<([](Case const& c) { return std::min(1.0, c.costs.issue_busy / c.kernel_cycles); })>);
    table.row({"dma_utilisation", "1", "cycles in which the MRAM server is busy over kernel cycles", maximize},
              bounded<([](Case const& c) { return std::min(1.0, c.costs.dma_busy / c.kernel_cycles); })>);
    table.row({"latency", "s", "total_time"}, bounded<([](Case const& c) { return c.t.total.si; })>);
    table.row({"energy", "J", "DPUs, MRAM and the host during transfers", minimize, true},
              bounded<([](Case const& c) { return c.energy; })>);
    table.row({"power", "W", "energy over latency", minimize, true},
              bounded<([](Case const& c) { return c.energy / c.t.total.si; })>);
    table.row({"footprint", "B", "MRAM that the data occupies in all DPUs"},
              bounded<([](Case const& c) { return c.plan.resident * c.dpus(); })>);
    table.row({"mram_per_dpu", "B", "MRAM that the data occupies in the fullest DPU"},
              bounded<([](Case const& c) { return c.plan.resident; })>);
    table.row({"sram", "B", "WRAM, IRAM and registers of all DPUs used: the stand-in for area, which is not published"},
              bounded<([](Case const& c) { return c.sram(); })>);
    table.row({"banks", "1", "MRAM banks of all DPUs used"},
              bounded<([](Case const& c) { return c.dpus() * (c.d.lock == Lock::double_bank ? 2.0 : 1.0); })>);
    table.row({"instructions", "1", "cycles in which an instruction issued, all launches; cycle fidelity only", none},
              bounded<([](Case const& c) { return c.costs.counted.instructions; })>);
    table.row({"idle_dma", "cycles", "nobody could issue and a tasklet waited for MRAM; cycle fidelity only", none},
              bounded<([](Case const& c) { return c.costs.counted.idle_dma; })>);
    table.row({"idle_other", "cycles", "nobody could issue for another reason; cycle fidelity only", none},
              bounded<([](Case const& c) { return c.costs.counted.idle_other; })>);
    table.row({"back_pressure", "cycles", "the pipeline refused to issue; cycle fidelity only", none},
              bounded<([](Case const& c) { return c.costs.counted.back_pressure; })>);
    table.row({"hazard_cycles", "cycles", "extra cycles of register conflicts; cycle fidelity only", none},
              bounded<([](Case const& c) { return c.costs.counted.hazard_cycles; })>);
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

double Case::sram() const {
    auto const family = index(family_of(d.preset));
    return dpus() * (p.machine.wram_size[family].si + p.machine.iram_size.si +
                     p.machine.register_file.si * static_cast<double>(d.tasklets));
}

MetricList metrics() { return make_table().metrics(); }

Metrics metrics_of(Report const& report) {
    static auto const table = make_table();
    return table.of(report);
}

}  // namespace pimdse::models::upmem
