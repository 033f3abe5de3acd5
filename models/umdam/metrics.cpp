#include "models/umdam/metrics.hpp"

#include "models/contract/common_metrics.hpp"
#include "sim/pim/bank_work.hpp"

#include <algorithm>

namespace pimdse::models::umdam {
namespace {

using sim::Bound;
using sim::Bounded;

constexpr std::array intervals{&PassAmounts::seconds,  &PassAmounts::package_joules, &PassAmounts::row_activations,
                               &PassAmounts::relayout, &PassAmounts::weight_bytes,   &PassAmounts::weight_seconds};

/// Calls f with every number of the amounts, always in the same order.
template <class Amounts, class F>
void each_number(Amounts& a, F const& f) {
    for (auto& part : a.parts) f(part);
    for (auto& joules : a.joules) f(joules);
    for (auto const count : {&PassAmounts::cube_operations, &PassAmounts::vector_operations, &PassAmounts::bursts,
                             &PassAmounts::bank_reads})
        f(a.*count);
    for (auto const member : intervals)
        for (auto const end : {&Bounded::value, &Bounded::lower, &Bounded::upper}) f((a.*member).*end);
}

Bounded pim_bandwidth(PassAmounts const& a) {
    if (a.weight_bytes.value == 0.0 && a.weight_bytes.upper == 0.0) return 0.0;
    return a.weight_seconds.value == 0.0 ? Bounded(0.0) : a.weight_bytes / a.weight_seconds;
}

double banks_of(System const& d) { return static_cast<double>(lanes(d.standard.organisation)); }

/// Bytes per second if every bank hands a burst to its unit whenever the unit takes one: rows that are open already,
/// no refresh. 0 if there is no PIM.
double peak_bandwidth(System const& d, MachineConstants const& machine) {
    if (!d.uses_pim()) return 0.0;
    auto const timing = pim_timing(d.design, d.standard, machine.pim);
    return banks_of(d) * d.standard.organisation.burst_bytes / (timing.mac_interval * timing.clock);
}

/// FLOP/s of the units at that pace: a product and a sum for every weight of a burst and every vector of a unit.
double peak_flops(System const& d, MachineConstants const& machine) {
    double const weights = peak_bandwidth(d, machine) / d.design.weight_bytes;
    return 2.0 * weights * static_cast<double>(d.design.pim_vectors);
}

using Table = MetricTable<ServedRequest>;
void add_times(Table& table) {
    using enum Sense;
    table.row(over(OverDevices::latency, {"ttlt", "s", "time to the last token: ttft plus the decode steps", minimize}),
              [](ServedRequest const& a) { return a.common.latency; });
    table.row(over(OverDevices::itl, {"time_per_token", "s",
                                      "mean time of a decode step; does not apply without decode steps", minimize}),
              [](ServedRequest const& a) {
                  auto const steps = a.system.design.decode_steps();
                  return steps > 0 ? a.rest.seconds / Bounded(static_cast<double>(steps)) : does_not_apply();
              });
    table.row({"relayout_time", "s",
               "time to move weights between the layouts of NPU and PIM: part of ttft; for a diffusion model after it",
               minimize},
              [](ServedRequest const& a) -> Bounded { return a.first.relayout + a.rest.relayout; });
}

void add_memory(Table& table) {
    using enum Sense;
    table.row(
        over(OverDevices::all_devices,
             {"weight_footprint", "B", "DRAM that the weights occupy, with copies, padding and staging", minimize}),
        [](ServedRequest const& a) -> Bounded { return a.system.all_weights(); });
    table.row({"npu_bandwidth", "B/s", "bandwidth of the NPU's weight stream from the DRAM", maximize},
              [](ServedRequest const& a) -> Bounded { return a.npu_bandwidth; });
    table.row({"pim_bandwidth", "B/s",
               "weight bytes over the time that PIM needs for them in decode; 0 if PIM is not used", maximize},
              [](ServedRequest const& a) -> Bounded { return pim_bandwidth(a.rest); });
    table.row({"pim_peak_bandwidth", "B/s",
               "a burst of every bank per pim_mac_interval, with all rows open; 0 without PIM", maximize},
              [](ServedRequest const& a) -> Bounded { return peak_bandwidth(a.system, a.machine); });
    table.row(
        {"pim_peak_flops", "FLOP/s", "products and sums of the units in the banks at pim_peak_bandwidth", maximize},
        [](ServedRequest const& a) -> Bounded { return peak_flops(a.system, a.machine); });
    table.row(over(OverDevices::request, {"activations", "1", "DRAM row activations of the whole request", minimize}),
              [](ServedRequest const& a) -> Bounded { return a.first.row_activations + a.rest.row_activations; });
    table.row({"lane_utilisation", "1", "share of PIM multiply slots that hold a weight", maximize},
              [](ServedRequest const& a) -> Bounded { return a.system.lane_utilisation; });
    table.row(
        {"split_factor", "1", "largest number of banks that one matrix column is spread over; PIM needs 1", minimize},
        [](ServedRequest const& a) -> Bounded { return static_cast<double>(a.system.split); });
}

/// The order of the rows is the order in which metrics are shown.
Table const& table() {
    static auto const made = table_of<Table, add_times, add_memory>();
    return made;
}

/// Bytes per second that all banks multiply while they open and close whole rows, without refresh.
double bank_roof(System const& d, MachineConstants const& machine) {
    auto const& o = d.standard.organisation;
    auto const timing = pim_timing(d.design, d.standard, machine.pim);
    return banks_of(d) * o.row_bytes / (row_visit_cycles(timing, o.columns()) * timing.clock);
}

}  // namespace

PassAmounts::PassAmounts(std::span<double const> flat) {
    if (flat.empty()) return;
    auto next = flat.begin();
    each_number(*this, [&](double& number) { number = *next++; });
    for (auto const member : intervals) this->*member = (this->*member).on({Bound::proved, Bound::calibrated});
}

std::vector<double> PassAmounts::flat() const {
    std::vector<double> numbers;
    each_number(*this, [&](double number) { numbers.push_back(number); });
    return numbers;
}

void PassAmounts::include(PassAmounts const& other) {
    for (auto const member : intervals) widen(this->*member, other.*member);
}

PassAmounts amounts_of(PhaseCost const& cost, Cost const& all, Spending const& spent, EnergyLaw const& law) {
    PassAmounts a;
    auto const& c = all.commands;
    for (std::size_t i = 0; i < part_count; ++i) a.parts[i] = cost.parts[i].seconds.value;
    a.joules = law.explain(spent, c);
    a.cube_operations = c.cube_operations;
    a.vector_operations = c.vector_operations;
    a.bursts = c.reads.value + c.writes.value;
    a.bank_reads = c.bank_reads;
    a.seconds = all.seconds;
    a.package_joules = law.package_joules(c);
    a.row_activations = c.row_activations;
    a.relayout = cost[Part::relayout].seconds;
    a.weight_bytes = cost.pim_weight_bytes;
    a.weight_seconds = cost[Part::weights].seconds + cost[Part::lm_head].seconds;
    a.weight_seconds.lower -= cost.refreshed.lower;  // all refreshes may interrupt attention instead
    for (auto const member : intervals) a.*member = rounded(a.*member);
    return a;
}

Bounded rounded(Bounded b) {
    if (b.kinds == Bound::none || b.is_exact()) return b.kinds == Bound::none ? b : Bounded(b.value);
    if (b.kinds.lower == Bound::proved) b.lower *= 1.0 - rounding_of_sums;
    if (b.kinds.upper == Bound::proved) b.upper *= 1.0 + rounding_of_sums;
    if (b.kinds.lower == Bound::proved) b.value = std::max(b.value, b.lower);
    if (b.kinds.upper == Bound::proved) b.value = std::min(b.value, b.upper);
    b.lower = std::min(b.lower, b.value);
    b.upper = std::max(b.upper, b.value);
    return b;
}

void widen(Bounded& all, Bounded const& other) {
    all.lower = std::min(all.lower, other.lower);
    all.upper = std::max(all.upper, other.upper);
    all.kinds = all.kinds.weaker(other.kinds);
}

MetricList own_metrics() { return table().metrics(); }

std::vector<MetricNote> metric_notes() {
    return {{"latency", "ttlt"},
            {"ttft", "load of the weights if included, re-layout if the baseline needs one, then prefill"},
            {"itl", "mean decode step"},
            {"prefill_power", "re-layout included"},
            {"package_power", "a package has four channels with all their ranks"},
            {"idle_power", "DRAM powered down and refreshed, all units waiting"},
            {"area", "NPU, global buffers and units in the banks", true},
            {"memory_area", "one die per rank of a channel, without the parts that PIM adds"},
            {"silicon", "area plus memory_area", true},
            {"footprint", "weights with copies, padding and staging, and the KV cache at its maximum length"},
            {"precision", "of the weights"},
            {"cost", "an NPU with LPDDR5, whose dies have logic beside banks"}};
}

Metrics own_metrics_of(ServedRequest const& request) { return table().of(request); }

PhaseLimit limit_of(System const& d, MachineConstants const& machine, std::string const& phase, PassAmounts const& a) {
    double const seconds = a.seconds.value, burst = d.standard.organisation.burst_bytes,
                 launches = a.parts[static_cast<std::size_t>(Part::launches)];
    std::vector<PhaseLimit> const all{
        {phase, "matrix unit", a.cube_operations / seconds,
         d.design.npu_flops * CubeBlock(machine.npu, d.design.multiplies_bytes()).faster(), "FLOP/s"},
        {phase, "vector unit", a.vector_operations / seconds, vector_rate(d.design, machine.npu), "FLOP/s"},
        {phase, "memory pins", a.bursts * burst / seconds,
         // and of the channels of the KV cache, where it has channels of its own
         peak_rate(d.standard) * static_cast<double>(d.design.channels), "B/s"},
        {phase, "bank bandwidth", a.bank_reads * burst / seconds, bank_roof(d, machine), "B/s"},
        {phase, "launches", launches / seconds, 1.0, "1"}};
    return *std::ranges::max_element(
        all, [](PhaseLimit const& x, PhaseLimit const& y) { return x.attained / x.roof < y.attained / y.roof; });
}

}  // namespace pimdse::models::umdam
