#include "models/upmem/answer.hpp"

#include "models/upmem/metrics.hpp"
#include "models/upmem/parameters.hpp"
#include "models/upmem/rules.hpp"
#include "sim/base/memo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pimdse::models::upmem {
namespace {

Counted counted_in(LaunchCost const& cost) {
    if (!cost.counters) {
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        return {unknown, unknown, unknown, unknown, unknown};
    }
    auto const& c = *cost.counters;
    auto const real = [](std::int64_t n) { return static_cast<double>(n); };
    return {real(c.instructions), real(c.idle_dma), real(c.idle_other), real(c.back_pressure), real(c.hazard_cycles)};
}

/// Equal launches are costed once: the streams of a problem have two sizes at the most.
Costs cost_plan(Prepared const& p, Design const& d, Plan const& plan, Fidelity fidelity) {
    Costs costs;
    sim::Memo<Task, LaunchCost> const known;
    for (auto const& launch : plan.launches) {
        auto const& cost = known.get(
            launch.task,
            [](Task const& task, Prepared const& prepared, Design const& design, Fidelity of) {
                return launch_cost(prepared, design, task, of);
            },
            p, d, fidelity);
        auto const times = static_cast<double>(launch.count);
        costs.cycles.push_back(cost.cycles);
        costs.issue_busy += times * cost.issue_busy;
        costs.dma_busy += times * cost.dma_busy;
        costs.counted.add(times, counted_in(cost));
        costs.kinds = costs.kinds.weaker(cost.cycles.kinds);
    }
    return costs;
}

/// The cycles of every launch at one end, or their values.
std::vector<double> cycles_of(Costs const& costs, double sim::Bounded::*end) {
    std::vector<double> cycles;
    for (auto const& launch : costs.cycles) cycles.push_back(launch.*end);
    return cycles;
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
    auto const at = [&](double sim::Bounded::*end) { return make_timeline(p, one, whole, cycles_of(costs, end)); };
    return {at(&sim::Bounded::low), at(&sim::Bounded::value), at(&sim::Bounded::high)};
}

bool is_reference(Design const& d) { return d.streams == 1 && (d.lock != Lock::rank_level || d.ranks == 1); }

Case case_of(Prepared const& p, Design const& d, Plan const& plan, Costs const& costs, std::span<double const> cycles,
             Timeline const& t, Timeline const& one) {
    return {p, d, plan, costs, t, one, total_cycles(plan, cycles), energy_of(p, d, plan, t, cycles).total()};
}

/// What is known before anything is costed.
struct Planned {
    Design design;
    Plan plan;
};

std::variant<Planned, Infeasible> planned(Prepared const& p, Point point) {
    Design const d = read_design(point);
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

EnergyParts energy_of(Prepared const& p, Design const& d, Plan const& plan, Timeline const& t,
                      std::span<double const> cycles) {
    auto const& f = p.machine;
    double const active_power =
        f.power_idle.si + (f.power_active.si - f.power_idle.si) * d.frequency.si / f.frequency.si;
    auto const dpus = static_cast<double>(d.dpus);
    double const used = d.lock == Lock::rank_level ? std::ceil(dpus / static_cast<double>(d.ranks)) : dpus;
    double busy = 0.0, traffic = 0.0;
    for (std::size_t i = 0; i < cycles.size(); ++i) {
        auto const times = static_cast<double>(plan.launches[i].count);
        busy += times * used * cycles[i] / d.frequency.si;
        traffic += times * used *
                   (plan.launches[i].task.work.mram_traffic() + plan.launches[i].input + plan.launches[i].shared +
                    plan.launches[i].output);
    }
    traffic += dpus * plan.output;
    return {active_power * busy, f.power_idle.si * std::max(0.0, dpus * t.total.si - busy), f.mram_energy.si * traffic,
            f.host_power.si * (t.input + t.output).si};
}

Outcome evaluate(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& p = inputs.as<Prepared>();
    auto const made = planned(p, point);
    if (auto const* verdict = std::get_if<Infeasible>(&made)) return *verdict;
    auto const& [d, work] = std::get<Planned>(made);
    Costs const costs = cost_plan(p, d, work, fidelity);
    auto const low = cycles_of(costs, &sim::Bounded::low), value = cycles_of(costs, &sim::Bounded::value),
               high = cycles_of(costs, &sim::Bounded::high);
    Reference const own{make_timeline(p, d, work, low), make_timeline(p, d, work, value),
                        make_timeline(p, d, work, high)};
    Reference const one = is_reference(d) ? own : reference_of(p, d, fidelity);
    return metrics_of({case_of(p, d, work, costs, low, own.low, one.low),
                       case_of(p, d, work, costs, value, own.value, one.value),
                       case_of(p, d, work, costs, high, own.high, one.high), is_reference(d)});
}

Breakdown explain(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& p = inputs.as<Prepared>();
    auto const made = planned(p, point);
    if (std::holds_alternative<Infeasible>(made)) return {};
    auto const& [d, work] = std::get<Planned>(made);
    auto const cycles = cycles_of(cost_plan(p, d, work, fidelity), &sim::Bounded::value);
    Timeline const t = make_timeline(p, d, work, cycles);
    auto const energy = energy_of(p, d, work, t, cycles);
    return {time_shares(t),
            {{"dpu/active", energy.active}, {"dpu/idle", energy.idle}, {"mram", energy.mram}, {"host", energy.host}},
            {}};
}

Trace trace(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& p = inputs.as<Prepared>();
    auto const made = planned(p, point);
    if (std::holds_alternative<Infeasible>(made)) return {};
    auto const& [d, work] = std::get<Planned>(made);
    Timeline const t = make_timeline(p, d, work, cycles_of(cost_plan(p, d, work, fidelity), &sim::Bounded::value));
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
