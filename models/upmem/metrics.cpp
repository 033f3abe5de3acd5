#include "models/upmem/metrics.hpp"

#include "models/contract/common_metrics.hpp"
#include "models/upmem/lower_bounds.hpp"
#include "models/upmem/plan.hpp"
#include "sim/base/check.hpp"
#include "sim/base/units.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace pimdse::models::upmem {
namespace {

using Table = MetricTable<Report>;

/// Metrics of scope end_to_end.
Metric of_requests(Metric metric) {
    return needing(std::move(metric), {needs("scope", "end_to_end"), needs_other_than("llm", "none")});
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double saved(Case const& c) { return std::max(0.0, (c.t.input + c.t.offload + c.t.kernel - c.t.overlapped).si); }

/// Ensures lower <= value <= upper, with room for the rounding of sums in another order.
Estimate within(double lower, double value, double upper, sim::BoundKinds kinds) {
    if (std::isnan(value)) return Estimate::unbounded(value);
    if (lower == value && upper == value) return Estimate::exact(value);
    return Estimate::within(value, std::min(value, lower * (1.0 - rounding)), std::max(value, upper * (1.0 + rounding)),
                            kinds);
}

/// A figure that increases with cycles and instructions.
template <auto figure>
Estimate rising(Report const& r) {
    return within(figure(r, r.lower), figure(r, r.value), figure(r, r.upper), r.costs.kinds);
}

/// A figure that decreases with cycles and instructions.
template <auto figure>
Estimate falling(Report const& r) {
    return within(figure(r, r.upper), figure(r, r.value), figure(r, r.lower), r.costs.kinds.swapped());
}

Estimate cycles(Report const& r) {
    return within(r.lower.kernel_cycles, r.value.kernel_cycles, r.upper.kernel_cycles, r.costs.kinds);
}

/// Busy cycles over all cycles, at most 1.
template <sim::Bounded Costs::*busy>
Estimate utilisation(Report const& r) {
    auto const share = smaller(r.costs.*busy / cycles(r), 1.0);
    return within(share.lower, share.value, share.upper, share.kinds);
}

/// The time saved is at most the time of the kernels, because input and offload occupy the host; and at most that of
/// input and offload, because kernels occupy the DPUs. With rank_level, ranks compute concurrently.
Estimate overlap(Report const& r) {
    double const shorter = r.value.shorter(), value = shorter > 0.0 ? saved(r.value) / shorter : 0.0;
    auto const& t = r.value.t;
    if (t.input.si <= 0.0 || r.lower.t.kernel == r.upper.t.kernel) return Estimate::exact(value);
    bool const in_turns = r.plan.pipelined && r.d.lock == Lock::rank_level;
    double const max = in_turns ? r.upper.t.kernel.si / t.input.si : (t.input + t.offload).si / t.input.si;
    return within(0.0, value, std::max(1.0, max), {Bound::proved, in_turns ? r.costs.kinds.upper : Bound::proved});
}

/// Kinds of a bound of a ratio whose numerator is at one end and whose time is at the other.
sim::BoundKinds ratio_kinds(Report const& r) { return r.costs.kinds.weaker(r.costs.kinds.swapped()); }

/// Energy over time; one part of the energy increases with time and the other does not.
Estimate power(Report const& r) {
    double const value = r.value.energy / r.value.t.total.si;
    return within(r.draw_lower.mean, value, r.draw_upper.mean, ratio_kinds(r));
}

/// The same for a part of a request.
template <std::size_t part>
Estimate part_power(Report const& r) {
    if (!r.d.is_request()) return Estimate::unbounded(unknown);
    return within(r.draw_lower.parts[part], r.value.powers[part], r.draw_upper.parts[part], ratio_kinds(r));
}

/// Power of the part that draws the most; a kernel is one part.
Estimate peak_power(Report const& r) {
    auto const max = [](std::vector<double> const& powers) {
        double largest = 0.0;
        for (double const each : powers) largest = std::isnan(each) ? largest : std::max(largest, each);
        return largest;
    };
    return within(max(r.draw_lower.parts), max(r.value.powers), max(r.draw_upper.parts), ratio_kinds(r));
}

Estimate chip_power(Report const& r) {
    return within(r.draw_lower.package, r.value.package_power, r.draw_upper.package, ratio_kinds(r));
}

/// A figure of the design itself.
template <auto figure>
Estimate exactly(Report const& r) {
    double const value = figure(r);
    return std::isnan(value) ? Estimate::unbounded(value) : Estimate::exact(value);
}

/// Speed-up of the streams over one stream with the same transfers: a ratio of two uncertain times.
template <sim::Bounded Spans::*until>
Estimate speedup(Report const& r) {
    if (r.is_reference) return Estimate::exact(1.0);
    auto const gain = r.one.*until / r.streams.*until;
    return gain.is_exact() ? Estimate::exact(gain.value) : gain;
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
    return r.d.is_request() && r.d.output > 1 ? (c.t.total.si - c.first) / static_cast<double>(r.d.output - 1)
                                              : unknown;
}

void add_common(Table& table) {
    table.row(common_metric("latency", "total_time"));
    table.row(of_requests(common_metric("ttft", "of scope end_to_end")));
    table.row(needing(common_metric("itl", "of scope end_to_end"),
                      {needs("scope", "end_to_end"), needs_other_than("llm", "none"), needs_more_than("output", 1)}));
    table.row(of_requests(common_metric("tokens_per_second", "of scope end_to_end")));
    table.row(common_metric("energy", "without the host's idle power", true));
    table.row(of_requests(common_metric("energy_per_token", "of scope end_to_end", true)));
    table.row(common_metric("power", "", true));
    table.row(of_requests(common_metric("prefill_power", "of scope end_to_end", true)));
    table.row(needing(common_metric("decode_power", "of scope end_to_end", true),
                      {needs("scope", "end_to_end"), needs_other_than("llm", "none"), needs_more_than("output", 1)}));
    table.row(common_metric("peak_power", "a kernel is one phase", true));
    table.row(common_metric("package_power", "a chip of eight DPUs while they run, its DRAM included", true));
    table.row(common_metric("idle_power", "all DPUs of the ranks, without the host", true));
    table.row(common_metric("area", "all DPUs of the ranks, without the host", true));
    table.row(common_metric("memory_area", "", true));
    table.row(common_metric("silicon", "DRAM chips with their DPUs, in one process", true));
    table.row(common_metric("footprint", "MRAM of all DPUs; for a request also the embedding in the host's memory"));
    table.row(common_metric("precision", "of kernels with weights"));
}

void add_times(Table& table) {
    table.row({"kernel_cycles", "cycles", "DPU cycles of all launches, busiest DPU, without launch cost"}, cycles);
    table.row({"kernel_time", "s", "all launches: their cycles and, with the hardware preset, the launch cost"},
              rising<([](Report const&, Case const& c) { return c.t.kernel.si; })>);
    table.row(
        {"input_time", "s", "all transfers to the DPUs, overlapped or not; measured times are 0.3 to 2.3 times this"},
        rising<([](Report const&, Case const& c) { return c.t.input.si; })>);
    table.row({"output_time", "s", "all transfers from the DPUs; measured times are 0.3 to 2.3 times this"},
              rising<([](Report const&, Case const& c) { return c.t.output.si; })>);
    table.row({"host_time", "s",
               "computation of the host: sums and scans over DPUs, exchanges; for a model everything except products"},
              rising<([](Report const&, Case const& c) { return (c.t.exchange + c.t.host).si; })>);
    table.row({"launch_time", "s", "the launch cost contained in kernel_time"},
              rising<([](Report const&, Case const& c) { return c.t.launch.si; })>);
    table.row(over(OverDevices::latency, {"total_time", "s", "from the first byte sent to the last byte received"}),
              rising<([](Report const&, Case const& c) { return c.t.total.si; })>);
    table.row({"stream_speedup", "1",
               "time of one stream over time of all streams: input, compute and merging of the results of the streams",
               maximize},
              speedup<&Spans::merged>);
    table.row({"stream_speedup_total", "1", "the same with the output counted", maximize}, speedup<&Spans::total>);
}

void add_shares(Table& table) {
    table.row({"transfer_share", "1", "input and output over input, output and kernel time"},
              falling<([](Report const&, Case const& c) { return c.moved() / (c.moved() + c.t.kernel.si); })>);
    table.row({"overlap_share", "1", "time saved by overlap over the shorter of input and kernel time", maximize},
              overlap);
    table.row({"issue_utilisation", "1", "cycles in which an instruction issues over kernel cycles", maximize},
              utilisation<&Costs::issue_busy>);
    table.row({"dma_utilisation", "1", "cycles in which the MRAM server is busy over kernel cycles", maximize},
              utilisation<&Costs::dma_busy>);
}

void add_sizes(Table& table) {
    table.row({"mram_per_dpu", "B", "MRAM that the data occupies in the fullest DPU"},
              exactly<([](Report const& r) { return r.plan.resident; })>);
    table.row(over(OverDevices::all_devices, {"sram", "B", "WRAM, IRAM and registers of the DPUs and tasklets used"}),
              exactly<sram>);
    table.row(over(OverDevices::all_devices, {"banks", "1", "MRAM banks of all DPUs used"}),
              exactly<([](Report const& r) { return dpus(r) * (r.d.lock == Lock::double_bank ? 2.0 : 1.0); })>);
}

void add_counters(Table& table) {
    table.row(
        {"instructions", "1", "cycles in which an instruction issued, all launches; cycle fidelity only", Sense::none},
        exactly<([](Report const& r) { return r.costs.counted.instructions; })>);
    table.row(
        {"idle_dma", "cycles", "no tasklet could issue and one waited for MRAM; cycle fidelity only", Sense::none},
        exactly<([](Report const& r) { return r.costs.counted.idle_dma; })>);
    table.row({"idle_other", "cycles", "no tasklet could issue for another reason; cycle fidelity only", Sense::none},
              exactly<([](Report const& r) { return r.costs.counted.idle_other; })>);
    table.row({"back_pressure", "cycles", "the pipeline refused to issue; cycle fidelity only", Sense::none},
              exactly<([](Report const& r) { return r.costs.counted.back_pressure; })>);
    table.row({"hazard_cycles", "cycles", "extra cycles of register conflicts; cycle fidelity only", Sense::none},
              exactly<([](Report const& r) { return r.costs.counted.hazard_cycles; })>);
}

Table const& table() {
    static auto const made = table_of<Table, add_times, add_shares, add_common, add_sizes, add_counters>();
    return made;
}

double latency(Report const&, Case const& c) { return c.t.total.si; }
double first_token(Report const&, Case const& c) { return c.first; }
double energy(Report const&, Case const& c) { return c.energy; }

double bytes_of(Plan const& plan) {
    double bytes = 0.0;
    for (auto const& launch : plan.launches) bytes += launch.count * launch.task.work.mram_traffic();
    return bytes;
}

}  // namespace

MetricList metrics() {
    return with_common(table().metrics(),
                       "DDR4 of all ranks, whose dies have DPUs beside their banks, without the host");
}

RequestResult request_result(Report const& a, economy::Economy const& economy) {
    auto const& machine = a.p.machine;
    auto const areas = areas_of(machine, a.d);
    RequestResult r;
    r.latency = rising<latency>(a);
    r.ttft = rising<first_token>(a);
    r.itl = rising<between_tokens>(a);
    r.energy = rising<energy>(a);
    r.power = power(a);
    r.prefill_power = part_power<0>(a);
    r.decode_power = part_power<1>(a);
    r.peak_power = peak_power(a);
    r.package_power = chip_power(a);
    auto const rest = standby_of(machine, a.d);
    r.idle_power = rest.idle();
    r.waiting_power = rest.waiting();
    r.area = (areas.logic + areas.sram).si;
    r.memory_area = areas.memory.si;
    r.footprint = footprint(a);
    if (double const bits = weight_bits(a); !std::isnan(bits)) r.precision = bits;
    if (a.d.is_request()) r.tokens = static_cast<double>(a.d.batch * a.d.output);
    r.own = table().of(a);
    economy.add_bill(r, materials_of(machine, a.d));
    return r;
}

PhaseLimit limit_of(Design const& d, std::string phase, Plan const& plan, Timeline const& t, BusyCycles const& busy) {
    double const total = t.total.si;
    sim::expects(total > 0.0, "a phase that takes no time has no limit");
    double const running = (t.kernel - t.launch).si;
    std::array const others{std::pair{"host link", (t.input + t.output).si}, std::pair{"launches", t.launch.si},
                            std::pair{"host", (t.host + t.exchange + t.offload).si}};
    auto const longest = std::ranges::max_element(others, {}, &std::pair<char const*, double>::second);
    if (longest->second > running) return {std::move(phase), longest->first, longest->second / total, 1.0, "1"};
    auto const dpus = static_cast<double>(d.dpus);
    if (busy.transferring > busy.issuing)
        return {std::move(phase), "MRAM bandwidth", dpus * bytes_of(plan) / total, dpus * d.mram_bandwidth.si, "B/s"};
    return {std::move(phase), "DPU pipelines", dpus * busy.issuing / total, dpus * d.frequency.si, "1/s"};
}

}  // namespace pimdse::models::upmem
