#include "models/umdam/metrics.hpp"

#include "models/contract/common_metrics.hpp"
#include "models/umdam/ledger.hpp"
#include "sim/pim/bank_work.hpp"

#include <algorithm>

namespace pimdse::models::umdam {
namespace {

using sim::Bounded;

/// The cost of a request on a system.
struct Result {
    System const& system;
    RequestCost const& cost;
    MachineConstants const& machine;
    EnergyLaw const& law;
    Cost all = cost.total(), prefill = cost.sum(Part::load, Part::decode_weights),
         decode = cost.sum(Part::decode_weights, Part::end);
    /// Mean time of one of `steps`; does not apply to none.
    [[nodiscard]] Estimate each_of(std::int64_t steps) const {
        return steps > 0 ? decode.seconds / Bounded(static_cast<double>(steps)) : does_not_apply();
    }
};

Bounded pim_bandwidth(RequestCost const& cost) {
    Bounded seconds = cost.at(Part::decode_weights).seconds + cost.at(Part::decode_head).seconds;
    if (cost.pim_weight_bytes == 0.0 || seconds.value == 0.0) return 0.0;
    seconds.lower -= cost.refreshed.lower;  // all refreshes may interrupt attention instead
    return Bounded(cost.pim_weight_bytes) / seconds;
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

/// Rounding of sums of many terms: proved bounds are relaxed by more than its largest effect.
constexpr double rounding = 0x1p-29;

/// The best estimate, kept within the proved bounds.
Estimate rounded(Bounded b) {
    if (b.kinds == Bound::none || b.is_exact()) return b.kinds == Bound::none ? b : Bounded(b.value);
    if (b.kinds.lower == Bound::proved) b.lower *= 1.0 - rounding;
    if (b.kinds.upper == Bound::proved) b.upper *= 1.0 + rounding;
    if (b.kinds.lower == Bound::proved) b.value = std::max(b.value, b.lower);
    if (b.kinds.upper == Bound::proved) b.value = std::min(b.value, b.upper);
    b.lower = std::min(b.lower, b.value);
    b.upper = std::max(b.upper, b.value);
    return b;
}

using Table = MetricTable<Result>;
void add_times(Table& table) {
    using enum Sense;
    table.row(common_metric("ttft",
                            "load of the weights if included, re-layout if the baseline needs one, then prefill; for a "
                            "diffusion model its first step"));
    table.row(over(OverDevices::latency, {"ttlt", "s", "time to the last token: ttft plus the decode steps", minimize}),
              [](Result const& a) { return a.all.seconds; });
    table.row(over(OverDevices::itl, {"time_per_token", "s",
                                      "mean time of a decode step; does not apply without decode steps", minimize}),
              [](Result const& a) { return a.each_of(a.system.design.decode_steps()); });
    table.row(needing(
        common_metric("itl", "mean decode step; for a diffusion model, mean time per token after its first step"),
        {needs_more_than("output", 1)}));
    table.row({"relayout_time", "s",
               "time to move weights between the layouts of NPU and PIM: part of ttft; for a diffusion model after it",
               minimize},
              [](Result const& a) -> Bounded {
                  return a.cost.at(Part::relayout).seconds + a.cost.at(Part::decode_relayout).seconds;
              });
    table.row(common_metric("tokens_per_second"));
    table.row(common_metric("latency", "ttlt"));
}

void add_energy(Table& table) {
    table.row(common_metric("energy", "", true));
    table.row(common_metric("energy_per_token", "", true));
    table.row(common_metric("power", "", true));
    table.row(common_metric("prefill_power", "re-layout included", true));
    table.row(needing(common_metric("decode_power", "", true), {needs_more_than("output", 1)}));
    table.row(common_metric("peak_power", "prefill or decode", true));
    table.row(common_metric("package_power", "a package has four channels with all their ranks", true));
    table.row(common_metric("idle_power", "DRAM powered down and refreshed, all units waiting", true));
}

void add_sizes(Table& table) {
    using enum Sense;
    table.row(common_metric("area", "NPU, global buffers and units in the banks", true));
    table.row(common_metric("memory_area", "one die per rank of a channel, without the parts that PIM adds", true));
    table.row(common_metric("silicon", "area plus memory_area", true));
    table.row(
        common_metric("footprint", "weights with copies, padding and staging, and the KV cache at its maximum length"));
    table.row(
        over(OverDevices::all_devices,
             {"weight_footprint", "B", "DRAM that the weights occupy, with copies, padding and staging", minimize}),
        [](Result const& a) -> Bounded { return a.system.all_weights(); });
    table.row(common_metric("precision", "of the weights"));
}

void add_memory(Table& table) {
    using enum Sense;
    table.row({"npu_bandwidth", "B/s", "bandwidth of the NPU's weight stream from the DRAM", maximize},
              [](Result const& a) -> Bounded { return a.cost.npu_bandwidth; });
    table.row({"pim_bandwidth", "B/s",
               "weight bytes over the time that PIM needs for them in decode; 0 if PIM is not used", maximize},
              [](Result const& a) -> Bounded { return pim_bandwidth(a.cost); });
    table.row({"pim_peak_bandwidth", "B/s",
               "a burst of every bank per pim_mac_interval, with all rows open; 0 without PIM", maximize},
              [](Result const& a) -> Bounded { return peak_bandwidth(a.system, a.machine); });
    table.row(
        {"pim_peak_flops", "FLOP/s", "products and sums of the units in the banks at pim_peak_bandwidth", maximize},
        [](Result const& a) -> Bounded { return peak_flops(a.system, a.machine); });
    table.row(over(OverDevices::request, {"activations", "1", "DRAM row activations of the whole request", minimize}),
              [](Result const& a) -> Bounded { return a.all.commands.row_activations; });
    table.row({"lane_utilisation", "1", "share of PIM multiply slots that hold a weight", maximize},
              [](Result const& a) -> Bounded { return a.system.lane_utilisation; });
    table.row(
        {"split_factor", "1", "largest number of banks that one matrix column is spread over; PIM needs 1", minimize},
        [](Result const& a) -> Bounded { return static_cast<double>(a.system.split); });
}

/// The order of the rows is the order in which metrics are shown.
Table const& table() {
    static auto const made = table_of<Table, add_times, add_energy, add_sizes, add_memory>();
    return made;
}

RequestResult result_of(Result const& a) {
    auto const& design = a.system.design;
    RequestResult r;
    r.latency = a.all.seconds;
    r.ttft = a.prefill.seconds;
    if (design.output > 1) r.itl = a.each_of(design.decode_steps());
    r.energy = a.law.energy(a.all);
    r.power = a.law.power(a.all);
    r.peak_power = r.prefill_power = a.law.power(a.prefill);
    r.package_power = a.law.package_power(a.prefill);
    if (a.decode.seconds.value > 0.0) {
        auto const decode = a.law.power(a.decode);
        if (design.output > 1) r.decode_power = decode;
        r.peak_power = larger(r.prefill_power, decode);
        r.package_power = larger(r.package_power, a.law.package_power(a.decode));
    }
    r.idle_power = a.law.rest().idle();
    r.waiting_power = a.law.rest().waiting();
    r.area = sum_of_areas(a.system, a.machine);
    r.memory_area = materials_of(a.system, a.machine).memory;
    r.footprint = a.system.all_weights() + a.system.all_caches();
    constexpr double bits_per_byte = 8;
    r.precision = design.weight_bytes * bits_per_byte;
    r.tokens = static_cast<double>(design.batch * design.output);
    r.own = table().of(a);
    each_determined(r, [](Estimate& estimate) { estimate = rounded(estimate); });
    return r;
}

/// Widens the bounds to those of both.
void widen(Estimate& all, Estimate const& other) {
    all.lower = std::min(all.lower, other.lower);
    all.upper = std::max(all.upper, other.upper);
    all.kinds = all.kinds.weaker(other.kinds);
}

/// Bytes per second that all banks multiply while they open and close whole rows, without refresh.
double bank_roof(System const& d, MachineConstants const& machine) {
    auto const& o = d.standard.organisation;
    auto const timing = pim_timing(d.design, d.standard, machine.pim);
    return banks_of(d) * o.row_bytes / (row_visit_cycles(timing, o.columns()) * timing.clock);
}

PhaseLimit limit_of(System const& d, std::string const& phase, Cost const& spent, double launches,
                    MachineConstants const& machine) {
    double const seconds = spent.seconds.value, burst = d.standard.organisation.burst_bytes;
    auto const& c = spent.commands;
    std::vector<PhaseLimit> const all{
        {phase, "matrix unit", c.cube_operations / seconds,
         d.design.npu_flops * CubeBlock(machine.npu, d.design.multiplies_bytes()).faster(), "FLOP/s"},
        {phase, "vector unit", c.vector_operations / seconds, vector_rate(d.design, machine.npu), "FLOP/s"},
        {phase, "memory pins", (c.reads.value + c.writes.value) * burst / seconds,
         // and of the channels of the KV cache, where it has channels of its own
         peak_rate(d.standard) * static_cast<double>(d.design.channels), "B/s"},
        {phase, "bank bandwidth", c.bank_reads * burst / seconds, bank_roof(d, machine), "B/s"},
        {phase, "launches", launches / seconds, 1.0, "1"}};
    return *std::ranges::max_element(
        all, [](PhaseLimit const& a, PhaseLimit const& b) { return a.attained / a.roof < b.attained / b.roof; });
}

}  // namespace

MetricList metrics() {
    return with_common(table().metrics(), "an NPU with LPDDR5, whose dies have logic beside banks");
}

RequestResult request_result(System const& system, std::vector<RequestCost> const& results,
                             MachineConstants const& machine, economy::Economy const& economy) {
    EnergyLaw const energy(system, machine);
    auto all = result_of({system, results.front(), machine, energy});
    for (std::size_t i = 1; i < results.size(); ++i) {
        auto const other = result_of({system, results[i], machine, energy});
        for (auto const member : determined_members) widen(all.*member, other.*member);
        for (std::size_t m = 0; m < all.own.size(); ++m) widen(all.own[m], other.own[m]);
    }
    economy.add_bill(all, materials_of(system, machine));
    return all;
}

std::vector<PhaseLimit> limits_of(System const& d, RequestCost const& cost, MachineConstants const& machine) {
    auto const prefill = cost.sum(Part::load, Part::decode_weights), decode = cost.sum(Part::decode_weights, Part::end);
    std::vector<PhaseLimit> limits{
        limit_of(d, "prefill", prefill, cost.at(Part::prefill_launch).seconds.value, machine)};
    if (decode.seconds.value > 0.0)
        limits.push_back(limit_of(d, "decode", decode, cost.at(Part::decode_launch).seconds.value, machine));
    return limits;
}

}  // namespace pimdse::models::umdam
