#include "models/upmem/result.hpp"

#include "models/chips/group.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/upmem/metrics.hpp"
#include "models/upmem/parameters.hpp"
#include "models/upmem/shared_bank.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

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

/// Equal launches are costed once: the streams of a problem have at most two sizes, and passes of a request share their
/// matrices.
class LaunchCosts {
  public:
    LaunchCosts(Prepared const& p, Design const& d, Fidelity fidelity) : p_(p), d_(d), fidelity_(fidelity) {}
    LaunchCost const& of(Task const& task) {
        for (auto const& [known, cost] : known_) {
            if (*known == task) return cost;
        }
        return known_.emplace_back(&task, launch_cost(p_, d_, task, fidelity_)).second;
    }

  private:
    Prepared const& p_;
    Design const& d_;
    Fidelity fidelity_;
    std::vector<std::pair<Task const*, LaunchCost>> known_;
};

Costs cost_plan(Prepared const& p, Design const& d, Plan const& plan, Fidelity fidelity) {
    Costs costs;
    costs.cycles.reserve(plan.launches.size());
    costs.busy.reserve(plan.launches.size());
    LaunchCosts known(p, d, fidelity);
    for (auto const& launch : plan.launches) {
        auto const& cost = known.of(launch.task);
        double const times = launch.count;
        costs.cycles.push_back(cost.cycles);
        costs.busy.push_back(cost.dma_busy);
        costs.issue_busy += times * cost.issue_busy;
        costs.dma_busy += times * cost.dma_busy;
        costs.counted.add(times, counted_in(cost));
        costs.kinds = costs.kinds.weaker(cost.cycles.kinds).weaker(cost.issue_busy.kinds);
    }
    return costs;
}

/// Lower bounds, values or upper bounds of every launch.
std::vector<double> ends_of(std::vector<sim::Bounded> const& launches, double sim::Bounded::*end) {
    std::vector<double> all;
    all.reserve(launches.size());
    for (auto const& launch : launches) all.push_back(launch.*end);
    return all;
}

std::vector<double> cycles_of(Costs const& costs, double sim::Bounded::*end) { return ends_of(costs.cycles, end); }

double total_cycles(Plan const& plan, std::span<double const> cycles) {
    double sum = 0.0;
    for (std::size_t i = 0; i < cycles.size(); ++i) sum += plan.launches[i].count * cycles[i];
    return sum;
}

using End = double sim::Bounded::*;

Spans spans_of(Timeline const& lower, Timeline const& value, Timeline const& upper, sim::BoundKinds kinds) {
    auto const until = [&](auto const& end) { return sim::Bounded::within(end(value), end(lower), end(upper), kinds); };
    return {until([](Timeline const& t) { return (t.overlapped + t.exchange).si; }),
            until([](Timeline const& t) { return t.total.si; })};
}

/// Mean power over a part [W]; NaN if it takes no time.
double mean_power(double joules, Timeline const& t) {
    return t.total.si > 0.0 ? joules / t.total.si : std::numeric_limits<double>::quiet_NaN();
}

/// The parts of a point and their cost.
class Solved {
  public:
    Solved(Prepared const& p, Planned const& planned, Fidelity fidelity)
        : p_(p), d_(planned.design), parts_(planned.parts) {
        for (auto const& part : parts_) {
            costs_.push_back(cost_plan(p, d_, part.plan, fidelity));
            links_.push_back(link_times(p, d_, part.plan));
            all_ += costs_.back();
        }
        bool const exact = is_exact();
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            auto& range = sharing_.emplace_back();
            if (d_.lock == Lock::fine && parts_[i].plan.pipelined && !exact) range = range_of_sharing(i);
        }
    }

    [[nodiscard]] std::size_t size() const { return parts_.size(); }
    [[nodiscard]] RequestPart const& part(std::size_t i) const { return parts_[i]; }
    [[nodiscard]] Costs const& costs() const { return all_; }
    [[nodiscard]] Timeline timeline(std::size_t i, End end) const {
        auto const cycles = cycles_of(costs_[i], end);
        if (d_.lock != Lock::fine || !parts_[i].plan.pipelined)
            return make_timeline(p_, d_, parts_[i].plan, links_[i], cycles);
        if (end == &sim::Bounded::value || is_exact())
            return make_timeline(p_, d_, parts_[i].plan, links_[i], cycles, ends_of(costs_[i].busy, end));
        return bound_of_sharing(i, end, cycles);
    }
    [[nodiscard]] PhaseLimit limit(std::size_t i, Timeline const& t) const {
        auto const& [name, plan] = parts_[i];
        auto const cycles = cycles_of(costs_[i], &sim::Bounded::value);
        return limit_of(d_, name.empty() ? "kernel" : name, plan, t,
                        {total_cycles(plan, cycles), costs_[i].issue_busy.value, costs_[i].dma_busy.value});
    }
    [[nodiscard]] EnergyByRow energy(std::size_t i, Timeline const& t, End end) const {
        return energy_rows_of(p_, d_, parts_[i].plan, t, {cycles_of(costs_[i], end), costs_[i].issue_busy.*end});
    }
    /// Figures that increase with cycles and instructions have their minimum at the lower bounds and their maximum at
    /// the upper bounds.
    [[nodiscard]] Case at(End end) const {
        Case all;
        all.parts.reserve(size());
        for (std::size_t i = 0; i < size(); ++i) {
            auto const& t = all.parts.emplace_back(timeline(i, end));
            if (i == 0) all.first = d_.is_request() ? t.total.si : std::numeric_limits<double>::quiet_NaN();
            all.t += t;
            all.kernel_cycles += total_cycles(parts_[i].plan, cycles_of(costs_[i], end));
            double const joules = sum_of(energy(i, t, end));
            all.energy += joules;
            all.powers.push_back(mean_power(joules, t));
        }
        all.package_power = package(end, end, [&](std::size_t i) { return shared_cost(all.parts[i]); });
        return all;
    }
    /// Power of the chip that needs the most while its DPUs run, in the part that needs the most: work of one end in
    /// the time of another. `shared(part)`: what sharing the bank adds.
    template <class Shared>
    [[nodiscard]] double package(End work, End time, Shared const& shared) const {
        double max = 0.0;
        for (std::size_t i = 0; i < size(); ++i) {
            auto const done = cycles_of(costs_[i], work), taken = cycles_of(costs_[i], time);
            double const running = running_power(p_, d_, parts_[i].plan, {done, costs_[i].issue_busy.*work},
                                                 {taken, costs_[i].issue_busy.*time}, shared(i));
            max = std::max(max, package_power(p_.machine, d_, {running}).si);
        }
        return max;
    }
    /// Energy over time, with cycles and instructions at one end and the times of a case at the other: the energy that
    /// does not increase with time is minimal and spread over the longest time, or the other way round.
    [[nodiscard]] Draw power(End work, End end, Case const& time) const {
        Draw draw;
        double energies = 0.0;
        for (std::size_t i = 0; i < size(); ++i) {
            Timeline t = time.parts[i];
            if (sharing_[i]) set_sharing(t, *sharing_[i], work);
            double const joules = sum_of(energy(i, t, work));
            energies += joules;
            draw.parts.push_back(mean_power(joules, time.parts[i]));
        }
        draw.mean = energies / time.t.total.si;
        draw.package = package(work, end, [&](std::size_t i) {
            if (!sharing_[i]) return SharedBankCost{};
            bool const least = work == &sim::Bounded::lower;
            return least ? SharedBankCost{sharing_[i]->rows_min, sharing_[i]->longer_max.si}
                         : SharedBankCost{sharing_[i]->rows_max, 0.0};
        });
        return draw;
    }
    [[nodiscard]] bool is_exact() const {
        auto const exact = [](sim::Bounded const& b) { return b.is_exact(); };
        return std::ranges::all_of(costs_, [&](Costs const& costs) {
            return std::ranges::all_of(costs.cycles, exact) && exact(costs.issue_busy);
        });
    }
    /// Spans of a plan in one part.
    [[nodiscard]] Spans spans() const {
        auto const lower = timeline(0, &sim::Bounded::lower), value = timeline(0, &sim::Bounded::value),
                   upper = timeline(0, &sim::Bounded::upper);
        return spans_of(lower, value, upper, all_.kinds);
    }

  private:
    [[nodiscard]] SharedBankCost shared_cost(Timeline const& t) const {
        if (d_.lock != Lock::fine || t.reopened <= 0.0) return {};
        sim::Time kernels{};
        for (auto const& kernel : t.kernels) kernels += kernel.duration();
        return {t.reopened, std::max(0.0, (kernels - t.kernel).si)};
    }
    [[nodiscard]] SharingRange range_of_sharing(std::size_t i) const {
        auto const streams = [&](End end) {
            return shared_streams(p_, d_, parts_[i].plan, links_[i], cycles_of(costs_[i], end),
                                  ends_of(costs_[i].busy, end));
        };
        return sharing_range(streams(&sim::Bounded::lower), streams(&sim::Bounded::upper),
                             host_access(p_, d_, parts_[i].plan, links_[i]));
    }
    static void set_sharing(Timeline& t, SharingRange const& range, End end) {
        bool const lower = end == &sim::Bounded::lower;
        t.queued = lower ? range.queued_min : range.queued_max;
        t.reopened = lower ? range.rows_min : range.rows_max;
    }
    /// Lock fine: between streams without a lock and streams that take turns, less what they certainly save. The least
    /// cost of sharing is not a proved bound of an energy, because it decreases with the longest kernel.
    [[nodiscard]] Timeline bound_of_sharing(std::size_t i, End end, std::span<double const> cycles) const {
        bool const lower = end == &sim::Bounded::lower;
        Design d = d_;
        d.lock = lower ? Lock::none : Lock::exclusive;
        auto t = make_timeline(p_, d, parts_[i].plan, links_[i], cycles);
        if (lower) return t;
        set_sharing(t, *sharing_[i], end);
        t.overlapped -= sharing_[i]->saved;
        t.total -= sharing_[i]->saved;
        return t;
    }

    Prepared const& p_;
    Design const& d_;
    std::vector<RequestPart> const& parts_;
    std::vector<Costs> costs_;
    std::vector<LinkTimes> links_;
    std::vector<std::optional<SharingRange>> sharing_;
    Costs all_;
};

/// The same problem as one stream on all DPUs at once.
Planned unstreamed(Prepared const& p, Design d) {
    d.streams = 1;
    d.lock = Lock::none;
    return {d, request_parts(p, d)};
}

bool is_reference(Design const& d, Plan const& plan) {
    return !plan.pipelined || (d.streams == 1 && (d.lock != Lock::rank_level || d.ranks == 1));
}

void set_ends(Report& report, Solved const& solved) {
    report.value = solved.at(&sim::Bounded::value);
    report.lower = report.upper = report.value;
    auto const& value = report.value;
    report.draw_lower = report.draw_upper = {value.energy / value.t.total.si, value.powers, value.package_power};
    if (solved.is_exact()) return;
    report.lower = solved.at(&sim::Bounded::lower);
    report.upper = solved.at(&sim::Bounded::upper);
    report.draw_lower = solved.power(&sim::Bounded::lower, &sim::Bounded::upper, report.upper);
    report.draw_upper = solved.power(&sim::Bounded::upper, &sim::Bounded::lower, report.lower);
}

/// The parts of the makespan and what follows it; they sum to the latency.
void append_times(std::vector<Share>& shares, std::string const& part, Timeline const& t) {
    double const launch = t.kernel.si > 0.0 ? t.compute_visible.si * t.launch.si / t.kernel.si : 0.0;
    std::string const prefix = part.empty() ? part : part + "/";
    for (auto const& [what, seconds] : std::array{
             std::pair{"kernel/cycles", t.compute_visible.si - launch}, std::pair{"kernel/launch", launch},
             std::pair{"offload", t.offload_visible.si},
             std::pair{"input", (t.overlapped - t.compute_visible - t.offload_visible).si},
             std::pair{"exchange", t.exchange.si}, std::pair{"host", t.host.si}, std::pair{"output", t.output.si}})
        shares.push_back({prefix + what, seconds});
}

void append_intervals(Trace& events, Timeline const& t, std::vector<Interval> const& exchanges) {
    auto const draw = [&](Interval const& i, char const* what, char const* unit) {
        if (i.duration().si > 0.0) events.push_back({what, unit, i.start.si, i.duration().si});
    };
    auto add = [&](std::vector<Interval> const& intervals, char const* what, char const* unit) {
        for (auto const& i : intervals)
            for (auto const& part : around_exchanges(i, exchanges)) draw(part, what, unit);
    };
    add(t.loads, "load", "link");
    add(t.inputs, "input", "link");
    add(t.offloads, "offload", "host");
    add(t.kernels, "kernel", "dpus");
    sim::Time delay{};
    for (auto const& exchange : exchanges) {
        draw({exchange.start + delay, exchange.end + delay}, "exchange", "host");
        delay += exchange.duration();
    }
    if (t.output.si > 0.0) events.push_back({"output", "link", (t.overlapped + t.exchange).si, t.output.si});
}

RequestResult request_result(Inputs const& inputs, Planned const& work, Solved const& solved, Fidelity fidelity) {
    auto const& p = inputs.as<Prepared>();
    auto const& [d, parts] = work;
    Report report{p, d, parts.front().plan, solved.costs()};
    set_ends(report, solved);
    report.is_reference = is_reference(d, report.plan);
    if (!report.is_reference) {
        auto const one = unstreamed(p, d);
        report.streams = spans_of(report.lower.t, report.value.t, report.upper.t, report.costs.kinds);
        report.one = Solved(p, one, fidelity).spans();
    }
    return request_result(report, chips::economy_of(inputs));
}

Breakdown breakdown_of(Prepared const& p, Design const& d, Solved const& solved) {
    Breakdown all;
    for (std::size_t i = 0; i < solved.size(); ++i) {
        auto t = solved.timeline(i, &sim::Bounded::value);
        set_visible_times(t);
        append_times(all.time, solved.part(i).name, t);
        append(all.energy, solved.energy(i, t, &sim::Bounded::value), solved.part(i).name);
        if (t.total.si > 0.0) all.limits.push_back(solved.limit(i, t));
    }
    all.area = area_shares(areas_of(p.machine, d));
    return all;
}

}  // namespace

std::variant<RequestResult, Infeasible> request(Inputs const& inputs, Point point, Fidelity fidelity,
                                                Breakdown* breakdown) {
    auto const& p = inputs.as<Prepared>();
    auto const made = planned(p, point);
    if (auto const* verdict = std::get_if<Infeasible>(&made)) return *verdict;
    auto const& work = std::get<Planned>(made);
    Solved const solved(p, work, fidelity);
    if (breakdown != nullptr) *breakdown = breakdown_of(p, work.design, solved);
    return request_result(inputs, work, solved, fidelity);
}

Trace trace(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& p = inputs.as<Prepared>();
    auto const made = planned(p, point);
    if (std::holds_alternative<Infeasible>(made)) return {};
    Solved const solved(p, std::get<Planned>(made), fidelity);
    Trace events;
    if (solved.part(0).plan.pipelined) {
        auto const& work = std::get<Planned>(made);
        auto const t = solved.timeline(0, &sim::Bounded::value);
        append_intervals(events, t, stream_exchanges(p, work.design, solved.part(0).plan, t));
        return events;
    }
    double start = 0.0;
    for (auto const& share : breakdown_of(p, std::get<Planned>(made).design, solved).time) {
        if (share.amount == 0.0) continue;
        events.push_back(
            {share.what, share.what.find("kernel") == std::string::npos ? "host" : "dpus", start, share.amount});
        start += share.amount;
    }
    return events;
}

std::variant<Planned, Infeasible> planned(Prepared const& p, Point point) {
    Design d = read_design(p, point);
    if (d.is_request()) d.kernel = p.products;
    if (auto verdict = check_design(p, d)) return *verdict;
    Planned result{d, request_parts(p, d)};
    if (auto verdict = check_memory(p, d, result.parts.front().plan)) return *verdict;
    return result;
}

}  // namespace pimdse::models::upmem
