#include "models/upmem/report.hpp"

#include "models/upmem/feasibility.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace pimdse::models::upmem {
namespace {

/// The cycles of every launch, at their low end, their value and their high end.
struct Costs {
    std::vector<double> low, value, high;
    double issue_busy = 0.0, dma_busy = 0.0;
    std::array<double, 5> counted{};  ///< instructions, idle_dma, idle_other, back_pressure, hazard_cycles; NaN unless simulated
    Bound bound = Bound::proved;
};

std::array<double, 5> counted_in(LaunchCost const& cost) {
    std::array<double, 5> result;
    result.fill(std::numeric_limits<double>::quiet_NaN());
    if (!cost.counters) return result;
    auto const& c = *cost.counters;
    auto const real = [](std::int64_t n) { return static_cast<double>(n); };
    return {real(c.instructions), real(c.idle_dma), real(c.idle_other), real(c.back_pressure), real(c.hazard_cycles)};
}

/// Equal launches are costed once: the streams of a problem have two sizes at the most.
Costs cost_plan(Prepared const& p, Design const& d, Plan const& plan, Fidelity fidelity) {
    Costs costs;
    std::vector<LaunchCost> known;
    std::vector<std::size_t> same;
    for (std::size_t i = 0; i < plan.launches.size(); ++i) {
        auto const& launch = plan.launches[i];
        std::size_t match = 0;
        while (match < i && (plan.launches[match].work != launch.work || plan.launches[match].elements != launch.elements)) ++match;
        same.push_back(match == i ? known.size() : same[match]);
        if (match == i) known.push_back(launch_cost(p, d, launch, fidelity));
        auto const& cost = known[same.back()];
        auto const times = static_cast<double>(launch.count);
        costs.low.push_back(cost.low);
        costs.value.push_back(cost.value.cycles);
        costs.high.push_back(cost.high);
        costs.issue_busy += times * cost.value.issue_busy;
        costs.dma_busy += times * cost.value.dma_busy;
        auto const counted = counted_in(cost);
        for (std::size_t n = 0; n < counted.size(); ++n) costs.counted[n] += times * counted[n];
        costs.bound = std::min(costs.bound, cost.bound);
    }
    return costs;
}

double total_cycles(Plan const& plan, std::span<double const> cycles) {
    double sum = 0.0;
    for (std::size_t i = 0; i < cycles.size(); ++i) sum += static_cast<double>(plan.launches[i].count) * cycles[i];
    return sum;
}

/// The same problem as one stream on all DPUs at once.
Design unstreamed(Design d) {
    d.streams = 1;
    d.lock = Lock::none;
    return d;
}

/// One stream's and this point's time of input, offload and kernel.
struct Reference {
    Timeline low, value, high;
};

Reference reference_of(Prepared const& p, Design const& d, Fidelity fidelity) {
    Design const one = unstreamed(d);
    Plan const whole = plan(p, one);
    Costs const costs = cost_plan(p, one, whole, fidelity);
    return {make_timeline(p, one, whole, costs.low), make_timeline(p, one, whole, costs.value), make_timeline(p, one, whole, costs.high)};
}

bool is_reference(Design const& d) { return d.streams == 1 && (d.lock != Lock::rank_level || d.ranks == 1); }

/// Every metric that follows from one assumption about the cycles.
std::vector<double> figures(Prepared const& p, Design const& d, Plan const& plan, Costs const& costs, std::span<double const> cycles,
                            Timeline const& t, Timeline const& one) {
    auto const family = index(family_of(d.preset));
    double const kernel_cycles = total_cycles(plan, cycles);
    double const energy = energy_of(p, d, plan, t, cycles).total();
    double const moved = (t.input + t.output).si;
    double const shorter = std::min(t.input.si, t.kernel.si);
    double const saved = std::max(0.0, (t.input + t.offload + t.kernel - t.overlapped).si);
    auto const dpus = static_cast<double>(d.dpus);
    double const sram = dpus * (p.facts.wram_size[family] + p.facts.iram_size + p.facts.register_file * static_cast<double>(d.tasklets));
    return {kernel_cycles,
            t.kernel.si,
            t.input.si,
            t.output.si,
            t.launch.si,
            t.total.si,
            one.overlapped.si / t.overlapped.si,
            one.total.si / t.total.si,
            moved / (moved + t.kernel.si),
            shorter > 0.0 ? saved / shorter : 0.0,
            std::min(1.0, costs.issue_busy / kernel_cycles),
            std::min(1.0, costs.dma_busy / kernel_cycles),
            t.total.si,
            energy,
            energy / t.total.si,
            plan.resident * dpus,
            plan.resident,
            sram,
            dpus * (d.lock == Lock::double_bank ? 2.0 : 1.0),
            costs.counted[0],
            costs.counted[1],
            costs.counted[2],
            costs.counted[3],
            costs.counted[4]};
}

Metrics within(std::vector<double> const& low, std::vector<double> const& value, std::vector<double> const& high, Bound bound) {
    Metrics result;
    for (std::size_t i = 0; i < value.size(); ++i) {
        auto const [least, most] = std::minmax({low[i], value[i], high[i]});
        result.push_back(std::isnan(value[i]) ? Estimate::unbounded(value[i]) : Estimate::within(value[i], least, most, bound));
    }
    return result;
}

/// A ratio of two uncertain times: both ends of each.
void widen_speedups(Metrics& m, Reference const& one, Timeline const& low, Timeline const& high) {
    m[6].low = std::min(m[6].low, one.low.overlapped.si / high.overlapped.si);
    m[6].high = std::max(m[6].high, one.high.overlapped.si / low.overlapped.si);
    m[7].low = std::min(m[7].low, one.low.total.si / high.total.si);
    m[7].high = std::max(m[7].high, one.high.total.si / low.total.si);
}

/// What is known before anything is costed.
struct Planned {
    Design design;
    Plan plan;
};

std::variant<Planned, Infeasible> planned(Prepared const& p, Point point) {
    Design const d = bind_design(point);
    if (auto verdict = check_design(p, d)) return *verdict;
    Planned result{d, plan(p, d)};
    if (auto verdict = check_memory(p, d, result.plan)) return *verdict;
    return result;
}

/// The parts of the makespan and what follows it; they sum to the latency.
std::vector<Share> time_shares(Timeline const& t) {
    double const launch = t.kernel.si > 0.0 ? t.compute_seen.si * t.launch.si / t.kernel.si : 0.0;
    return {{"kernel/cycles", t.compute_seen.si - launch},
            {"kernel/launch", launch},
            {"offload", t.offload_seen.si},
            {"input", (t.overlapped - t.compute_seen - t.offload_seen).si},
            {"exchange", t.exchange.si},
            {"output", t.output.si}};
}

}  // namespace

EnergyParts energy_of(Prepared const& p, Design const& d, Plan const& plan, Timeline const& t, std::span<double const> cycles) {
    auto const& f = p.facts;
    double const active_power = f.power_idle + (f.power_active - f.power_idle) * d.frequency.si / f.frequency;
    auto const dpus = static_cast<double>(d.dpus);
    double const used = d.lock == Lock::rank_level ? std::ceil(dpus / static_cast<double>(d.ranks)) : dpus;
    double busy = 0.0, traffic = 0.0;
    for (std::size_t i = 0; i < cycles.size(); ++i) {
        auto const times = static_cast<double>(plan.launches[i].count);
        busy += times * used * cycles[i] / d.frequency.si;
        traffic += times * used *
                   (plan.launches[i].work.mram_traffic() + plan.launches[i].input + plan.launches[i].shared + plan.launches[i].output);
    }
    traffic += dpus * plan.output;
    return {active_power * busy, f.power_idle * std::max(0.0, dpus * t.total.si - busy), f.mram_energy * traffic,
            f.host_power * (t.input + t.output).si};
}

Outcome evaluate(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& p = inputs.as<Prepared>();
    auto const made = planned(p, point);
    if (auto const* verdict = std::get_if<Infeasible>(&made)) return *verdict;
    auto const& [d, work] = std::get<Planned>(made);
    Costs const costs = cost_plan(p, d, work, fidelity);
    Timeline const low = make_timeline(p, d, work, costs.low);
    Timeline const value = make_timeline(p, d, work, costs.value);
    Timeline const high = make_timeline(p, d, work, costs.high);
    Reference const one = is_reference(d) ? Reference{low, value, high} : reference_of(p, d, fidelity);
    auto result = within(figures(p, d, work, costs, costs.low, low, one.low), figures(p, d, work, costs, costs.value, value, one.value),
                         figures(p, d, work, costs, costs.high, high, one.high), costs.bound);
    if (!is_reference(d)) widen_speedups(result, one, low, high);
    return result;
}

Breakdown explain(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& p = inputs.as<Prepared>();
    auto const made = planned(p, point);
    if (std::holds_alternative<Infeasible>(made)) return {};
    auto const& [d, work] = std::get<Planned>(made);
    Costs const costs = cost_plan(p, d, work, fidelity);
    Timeline const t = make_timeline(p, d, work, costs.value);
    auto const energy = energy_of(p, d, work, t, costs.value);
    return {time_shares(t), {{"dpu/active", energy.active}, {"dpu/idle", energy.idle}, {"mram", energy.mram}, {"host", energy.host}}, {}};
}

Trace trace(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& p = inputs.as<Prepared>();
    auto const made = planned(p, point);
    if (std::holds_alternative<Infeasible>(made)) return {};
    auto const& [d, work] = std::get<Planned>(made);
    Timeline const t = make_timeline(p, d, work, cost_plan(p, d, work, fidelity).value);
    Trace events;
    auto add = [&](std::vector<sim::Interval> const& intervals, char const* what, char const* unit) {
        for (auto const& i : intervals) {
            if (i.duration().si > 0.0) events.push_back({what, unit, i.start.si, i.duration().si});
        }
    };
    add(t.inputs, "input", "link");
    add(t.offloads, "offload", "host");
    add(t.kernels, "kernel", "dpus");
    if (t.exchange.si > 0.0) events.push_back({"exchange", "host", t.overlapped.si, t.exchange.si});
    if (t.output.si > 0.0) events.push_back({"output", "link", (t.overlapped + t.exchange).si, t.output.si});
    return events;
}

}  // namespace pimdse::models::upmem
