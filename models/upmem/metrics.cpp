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
/// input and offload, because kernels occupy the DPUs. With rank_level, ranks compute concurrently. In one stream
/// nothing overlaps.
Estimate overlap(Report const& r) {
    if (r.is_reference) return 0.0;
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
    static auto const made = table_of<Table, add_times, add_shares, add_sizes, add_counters>();
    return made;
}

double latency(Report const&, Case const& c) { return c.t.total.si; }
double energy(Report const&, Case const& c) { return c.energy; }

Costs costs_of(RequestAmounts amounts) {
    auto const interval = [&](std::size_t from) {
        sim::Bounded const busy(amounts[from], amounts[from + 1], amounts[from + 2],
                                {Bound::proved, Bound::calibrated});
        return busy.is_exact() ? sim::Bounded(busy.value) : busy;
    };
    Costs costs;
    costs.issue_busy = interval(Amount::issue_cycles);
    costs.dma_busy = interval(Amount::dma_cycles);
    costs.kinds = interval(Amount::all_cycles).kinds.weaker(costs.issue_busy.kinds);
    auto const counts = amounts.subspan(Amount::counts);
    costs.counted = {counts[0], counts[1], counts[2], counts[3], counts[4]};
    return costs;
}

/// While DPUs run, with cycles and instructions at one end in the cycles of another; nothing if they do not.
double running_power(Prepared const& p, Design const& d, RequestAmounts amounts, std::size_t work, std::size_t time) {
    auto const dpus = static_cast<double>(d.dpus);
    auto const of_all = [&](std::size_t amount) { return dpus * amounts[amount]; };
    Activity activity;
    activity.instructions = std::min(of_all(Amount::all_cycles + work), of_all(Amount::issue_cycles + work));
    activity.rows = of_all(Amount::mram_rows);
    activity.bytes = of_all(Amount::mram_bytes);
    double const seconds = d.running_time(of_all(Amount::all_cycles + time)).si;
    return package_power(p.machine, d, {running_power(p.machine, d, activity, seconds)}).si;
}

}  // namespace

MetricList own_metrics() { return table().metrics(); }

MetricList metrics() {
    Need const whole = needs("scope", "end_to_end"), model = needs_other_than("llm", "none");
    return with_common(own_metrics(),
                       {{"latency", "total_time"},
                        {"energy", "without the host's idle power"},
                        {"peak_power", "a kernel is one phase"},
                        {"package_power", "a chip of eight DPUs while they run, its DRAM included"},
                        {"idle_power", "all DPUs of the ranks, without the host"},
                        {"area", "all DPUs of the ranks, without the host", true},
                        {"silicon", "DRAM chips with their DPUs, in one process", true},
                        {"footprint", "MRAM of all DPUs; for a request also the embedding in the host's memory"},
                        {"precision", "of kernels with weights"},
                        {"cost", "DDR4 of all ranks, whose dies have DPUs beside their banks, without the host"}},
                       {{whole, model}, {whole, model, needs_more_than("output", 1)}});
}

RequestResult kernel_result(Report const& a, economy::Economy const& economy) {
    auto const& machine = a.p.machine;
    auto const areas = areas_of(machine, a.d);
    RequestResult r;
    r.latency = rising<latency>(a);
    r.energy = rising<energy>(a);
    r.power = r.peak_power = power(a);
    r.package_power = chip_power(a);
    auto const rest = powers_of(machine, a.d).rest;
    r.idle_power = rest.idle();
    r.waiting_power = rest.waiting();
    r.area = (areas.logic + areas.sram).si;
    r.memory_area = areas.memory.si;
    r.footprint = footprint(a.p, a.d, a.plan);
    constexpr double byte = 8;
    if (double const bytes = a.p.kernels[a.d.kernel].mac_bytes; bytes > 0.0) r.precision = byte * bytes;
    r.own = table().of(a);
    economy.add_bill(r, materials_of(machine, a.d));
    return r;
}

Case case_of(Design const& d, RequestAmounts amounts, std::size_t end) {
    Case of;
    auto& t = of.t;
    of.kernel_cycles = amounts[Amount::all_cycles + end];
    for (auto const& [to, from] : {std::pair{&t.input, Amount::input}, std::pair{&t.output, Amount::output},
                                   std::pair{&t.launch, Amount::launch}, std::pair{&t.offload, Amount::offload},
                                   std::pair{&t.host, Amount::host}})
        *to = sim::Time{amounts[from]};
    t.kernel = t.launch + d.running_time(of.kernel_cycles);
    t.compute_visible = t.kernel;
    t.offload_visible = t.offload;
    t.overlapped = t.input + t.offload + t.kernel;
    t.total = t.overlapped + t.output + t.host;
    return of;
}

Metrics metrics_of(Prepared const& p, Design const& d, RequestAmounts amounts) {
    auto const costs = costs_of(amounts);
    auto const held = plan(p, d);
    return table().of({p, d, held, costs, case_of(d, amounts), case_of(d, amounts, 1), case_of(d, amounts, 2)});
}

Estimate package_power(Prepared const& p, Design const& d, RequestAmounts amounts) {
    auto const kinds = costs_of(amounts).kinds;
    return within(running_power(p, d, amounts, 1, 2), running_power(p, d, amounts, 0, 0),
                  running_power(p, d, amounts, 2, 1), kinds.weaker(kinds.swapped()));
}

void append_times(std::vector<Share>& shares, std::string const& phase, Timeline const& t) {
    double const launch = t.kernel.si > 0.0 ? t.compute_visible.si * t.launch.si / t.kernel.si : 0.0;
    std::string const prefix = phase.empty() ? phase : phase + "/";
    for (auto const& [what, seconds] : std::array{
             std::pair{"kernel/cycles", t.compute_visible.si - launch}, std::pair{"kernel/launch", launch},
             std::pair{"offload", t.offload_visible.si},
             std::pair{"input", (t.overlapped - t.compute_visible - t.offload_visible).si},
             std::pair{"exchange", t.exchange.si}, std::pair{"host", t.host.si}, std::pair{"output", t.output.si}})
        shares.push_back({prefix + what, seconds});
}

PhaseLimit limit_of(Design const& d, std::string phase, Timeline const& t, BusyDpu const& busy) {
    double const total = t.total.si;
    sim::expects(total > 0.0, "a phase that takes no time has no limit");
    double const running = (t.kernel - t.launch).si;
    std::array const others{std::pair{"host link", (t.input + t.output).si}, std::pair{"launches", t.launch.si},
                            std::pair{"host", (t.host + t.exchange + t.offload).si}};
    auto const longest = std::ranges::max_element(others, {}, &std::pair<char const*, double>::second);
    if (longest->second > running) return {std::move(phase), longest->first, longest->second / total, 1.0, "1"};
    auto const dpus = static_cast<double>(d.dpus);
    if (busy.transferring > busy.issuing)
        return {std::move(phase), "MRAM bandwidth", dpus * busy.bytes / total, dpus * d.mram_bandwidth.si, "B/s"};
    return {std::move(phase), "DPU pipelines", dpus * busy.issuing / total, dpus * d.frequency.si, "1/s"};
}

}  // namespace pimdse::models::upmem
