#include "models/upmem/answer.hpp"

#include "models/upmem/metrics.hpp"
#include "models/upmem/parameters.hpp"
#include "models/upmem/request.hpp"
#include "models/upmem/rules.hpp"
#include "sim/base/memo.hpp"

#include <array>
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

using End = double sim::Bounded::*;

/// Cycles at one end or their values; transfers over what the model of the call says; what keeps DPUs busy.
struct Assumption {
    End cycles = &sim::Bounded::value;
    double stretch = 1.0;
    End busy = &sim::Bounded::value;
};

/// What is known before anything is costed.
struct Planned {
    Design design;
    std::vector<RequestPart> parts;
};

std::variant<Planned, Infeasible> planned(Prepared const& p, Point point) {
    Design d = read_design(point);
    if (d.is_request()) d.kernel = p.products;
    if (auto verdict = check_design(p, d)) return *verdict;
    Planned result{d, request_parts(p, d)};
    if (auto verdict = check_memory(p, d, result.parts.front().plan)) return *verdict;
    return result;
}

/// The parts of a point and what they cost.
class Solved {
  public:
    Solved(Prepared const& p, Planned const& planned, Fidelity fidelity)
        : p_(p), d_(planned.design), parts_(planned.parts) {
        for (auto const& part : parts_) {
            costs_.push_back(cost_plan(p, d_, part.plan, fidelity));
            all_ += costs_.back();
        }
    }

    [[nodiscard]] std::size_t size() const { return parts_.size(); }
    [[nodiscard]] RequestPart const& part(std::size_t i) const { return parts_[i]; }
    [[nodiscard]] Costs const& costs() const { return all_; }
    [[nodiscard]] Timeline timeline(std::size_t i, Assumption const& as) const {
        return make_timeline(p_, d_, parts_[i].plan, cycles_of(costs_[i], as.cycles), as.stretch);
    }
    [[nodiscard]] EnergyRows energy(std::size_t i, Timeline const& t, Assumption const& as) const {
        auto const cycles = cycles_of(costs_[i], as.cycles);
        return energy_rows_of(p_, d_, parts_[i].plan, t, {cycles, costs_[i].issue_busy.*as.busy});
    }
    /// With transfers as the model of the call says.
    [[nodiscard]] Timeline times(End cycles) const {
        Timeline all;
        for (std::size_t i = 0; i < size(); ++i) all += timeline(i, {cycles});
        return all;
    }
    /// One case for each of `busy`.
    [[nodiscard]] std::vector<Case> cases(End cycles, double stretch, std::vector<End> const& busy) const {
        std::vector<Case> all(busy.size());
        for (std::size_t i = 0; i < size(); ++i) {
            auto const t = timeline(i, {cycles, stretch});
            double const sum = total_cycles(parts_[i].plan, cycles_of(costs_[i], cycles));
            for (std::size_t c = 0; c < all.size(); ++c) {
                if (i == 0) all[c].first = d_.is_request() ? t.total.si : std::numeric_limits<double>::quiet_NaN();
                all[c].t += t;
                all[c].kernel_cycles += sum;
                all[c].energy += energy(i, t, {cycles, stretch, busy[c]}).total();
            }
        }
        for (std::size_t c = 0; c < all.size(); ++c) {
            all[c].issue_busy = all_.issue_busy.*busy[c];
            all[c].dma_busy = all_.dma_busy.*busy[c];
        }
        return all;
    }

  private:
    Prepared const& p_;
    Design const& d_;
    std::vector<RequestPart> const& parts_;
    std::vector<Costs> costs_;
    Costs all_;
};

/// Cycles at their ends, and transfers at those of real systems; uPIMulator's constant ones are what they are.
std::vector<Case> ends_of(Solved const& solved, Prepared const& p, Design const& d) {
    auto const& a = p.machine.allowance;
    std::vector<double> stretches{1.0};
    if (d.transfer != Transfer::constant) stretches = {a.transfer_low, a.transfer_high};
    std::vector<Case> all;
    for (auto const end : {&sim::Bounded::low, &sim::Bounded::high}) {
        for (double const stretch : stretches) {
            for (auto& end_case : solved.cases(end, stretch, {&sim::Bounded::low, &sim::Bounded::high}))
                all.push_back(std::move(end_case));
        }
    }
    return all;
}

/// The same problem as one stream on all DPUs at once.
Planned unstreamed(Prepared const& p, Design d) {
    d.streams = 1;
    d.lock = Lock::none;
    return {d, request_parts(p, d)};
}

bool is_reference(Design const& d, Plan const& plan) {
    return !plan.pipelined || (d.streams == 1 && (d.lock != Lock::rank_level || d.ranks == 1));
}

void set_stream_times(Report& report, Solved const& streams, Solved const& one) {
    auto const at = [&](End end) { return StreamTimes{one.times(end), streams.times(end)}; };
    report.low_cycles = at(&sim::Bounded::low);
    report.usual = at(&sim::Bounded::value);
    report.high_cycles = at(&sim::Bounded::high);
}

/// The parts of the makespan and what follows it; they sum to the latency.
void append_times(std::vector<Share>& shares, std::string const& part, Timeline const& t) {
    double const launch = t.kernel.si > 0.0 ? t.compute_seen.si * t.launch.si / t.kernel.si : 0.0;
    std::string const prefix = part.empty() ? part : part + "/";
    for (auto const& [what, seconds] : std::array{
             std::pair{"kernel/cycles", t.compute_seen.si - launch}, std::pair{"kernel/launch", launch},
             std::pair{"offload", t.offload_seen.si},
             std::pair{"input", (t.overlapped - t.compute_seen - t.offload_seen).si},
             std::pair{"exchange", t.exchange.si}, std::pair{"host", t.host.si}, std::pair{"output", t.output.si}})
        shares.push_back({prefix + what, seconds});
}

void append_intervals(Trace& events, Timeline const& t) {
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
}

}  // namespace

Outcome evaluate(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& p = inputs.as<Prepared>();
    auto const made = planned(p, point);
    if (auto const* verdict = std::get_if<Infeasible>(&made)) return *verdict;
    auto const& work = std::get<Planned>(made);
    auto const& [d, parts] = work;
    Solved const solved(p, work, fidelity);
    Report report{p, d, parts.front().plan, solved.costs(), {}, ends_of(solved, p, d), {}, {}, {}, false};
    report.value = solved.cases(&sim::Bounded::value, 1.0, {&sim::Bounded::value}).front();
    report.is_reference = is_reference(d, report.plan);
    if (!report.is_reference) {
        auto const one = unstreamed(p, d);
        set_stream_times(report, solved, Solved(p, one, fidelity));
    }
    return metrics_of(report);
}

Breakdown explain(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& p = inputs.as<Prepared>();
    auto const made = planned(p, point);
    if (std::holds_alternative<Infeasible>(made)) return {};
    auto const& work = std::get<Planned>(made);
    Solved const solved(p, work, fidelity);
    Breakdown result;
    for (std::size_t i = 0; i < solved.size(); ++i) {
        auto const t = solved.timeline(i, {});
        append_times(result.time, solved.part(i).name, t);
        solved.energy(i, t, {}).append_to(result.energy, solved.part(i).name);
    }
    result.area = area_shares(areas_of(p.machine, work.design));
    return result;
}

Trace trace(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& p = inputs.as<Prepared>();
    auto const made = planned(p, point);
    if (std::holds_alternative<Infeasible>(made)) return {};
    Solved const solved(p, std::get<Planned>(made), fidelity);
    Trace events;
    if (solved.part(0).plan.pipelined) {
        append_intervals(events, solved.timeline(0, {}));
        return events;
    }
    double start = 0.0;
    for (auto const& share : explain(inputs, point, fidelity).time) {
        if (share.amount == 0.0) continue;
        events.push_back(
            {share.what, share.what.find("kernel") == std::string::npos ? "host" : "dpus", start, share.amount});
        start += share.amount;
    }
    return events;
}

}  // namespace pimdse::models::upmem
