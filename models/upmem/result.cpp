#include "models/upmem/result.hpp"

#include "models/chips/group.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/upmem/metrics.hpp"
#include "models/upmem/parameters.hpp"
#include "models/upmem/served_machine.hpp"

#include <algorithm>
#include <array>

namespace pimdse::models::upmem {
namespace {

Spans spans_of(Timeline const& lower, Timeline const& value, Timeline const& upper, sim::BoundKinds kinds) {
    auto const until = [&](auto const& end) { return sim::Bounded::within(end(value), end(lower), end(upper), kinds); };
    return {until([](Timeline const& t) { return (t.overlapped + t.exchange).si; }),
            until([](Timeline const& t) { return t.total.si; })};
}

/// A plan and its cost.
class Solved {
  public:
    Solved(Prepared const& p, Planned const& planned, Fidelity fidelity)
        : p_(p), d_(planned.design), known_{p, planned.design, fidelity}, costed_(known_, planned.plan) {}

    [[nodiscard]] CostedPlan const& costed() const { return costed_; }
    [[nodiscard]] PhaseLimit limit(Timeline const& t) const {
        auto const& costs = costed_.costs();
        double bytes = 0.0;
        for (auto const& launch : costed_.plan().launches) bytes += launch.count * launch.task.work.mram_traffic();
        return limit_of(d_, "kernel", t,
                        {costed_.cycles(&sim::Bounded::value), costs.issue_busy.value, costs.dma_busy.value, bytes});
    }
    [[nodiscard]] Case at(End end) const {
        auto const t = costed_.timeline(end);
        return {t, costed_.cycles(end), sum_of(costed_.energy(t, end)), package(end, end, costed_.shared_cost(t))};
    }
    /// Energy over time, with cycles and instructions at one end and the times of a case at the other: the energy that
    /// does not increase with time is minimal and spread over the longest time, or the other way round.
    [[nodiscard]] Draw power(End work, End end, Case const& time) const {
        double const joules = sum_of(costed_.energy(costed_.with_sharing(time.t, work), work));
        return {joules / time.t.total.si, package(work, end, costed_.shared_cost(work))};
    }
    [[nodiscard]] Spans spans() const {
        return spans_of(costed_.timeline(&sim::Bounded::lower), costed_.timeline(&sim::Bounded::value),
                        costed_.timeline(&sim::Bounded::upper), costed_.costs().kinds);
    }

  private:
    /// Power of the chip that needs the most while its DPUs run.
    [[nodiscard]] double package(End work, End time, SharedBankCost const& shared) const {
        return package_power(p_.machine, d_, {costed_.running_power(work, time, shared)}).si;
    }

    Prepared const& p_;
    Design const& d_;
    LaunchCosts known_;
    CostedPlan costed_;
};

/// The same problem as one stream on all DPUs at once.
Planned unstreamed(Prepared const& p, Design d) {
    d.streams = 1;
    d.lock = Lock::none;
    return {d, plan(p, d)};
}

bool is_reference(Design const& d, Plan const& plan) {
    return !plan.pipelined || (d.streams == 1 && (d.lock != Lock::rank_level || d.ranks == 1));
}

void set_ends(Report& report, Solved const& solved) {
    report.value = solved.at(&sim::Bounded::value);
    report.lower = report.upper = report.value;
    auto const& value = report.value;
    report.draw_lower = report.draw_upper = {value.energy / value.t.total.si, value.package_power};
    if (solved.costed().costs().is_exact()) return;
    report.lower = solved.at(&sim::Bounded::lower);
    report.upper = solved.at(&sim::Bounded::upper);
    report.draw_lower = solved.power(&sim::Bounded::lower, &sim::Bounded::upper, report.upper);
    report.draw_upper = solved.power(&sim::Bounded::upper, &sim::Bounded::lower, report.lower);
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

RequestResult result_of(Inputs const& inputs, Planned const& work, Solved const& solved, Fidelity fidelity) {
    auto const& p = inputs.as<Prepared>();
    auto const& [d, plan] = work;
    Report report{p, d, plan, solved.costed().costs()};
    set_ends(report, solved);
    report.is_reference = is_reference(d, plan);
    if (!report.is_reference) {
        auto const one = unstreamed(p, d);
        report.streams = spans_of(report.lower.t, report.value.t, report.upper.t, report.costs.kinds);
        report.one = Solved(p, one, fidelity).spans();
    }
    return kernel_result(report, chips::economy_of(inputs));
}

Breakdown breakdown_of(Prepared const& p, Design const& d, Solved const& solved) {
    Breakdown all;
    auto t = solved.costed().timeline(&sim::Bounded::value);
    set_visible_times(t);
    append_times(all.time, "", t);
    append(all.energy, solved.costed().energy(t, &sim::Bounded::value));
    if (t.total.si > 0.0) all.limits.push_back(solved.limit(t));
    all.area = area_shares(areas_of(p.machine, d));
    return all;
}

}  // namespace

std::variant<RequestResult, Infeasible> request(Inputs const& inputs, Point point, Fidelity fidelity,
                                                Breakdown* breakdown) {
    auto const& p = inputs.as<Prepared>();
    if (auto const d = read_design(p, point); d.is_request()) {
        if (auto verdict = check_design(p, d)) return *std::move(verdict);
        return p.served.get()->request(point, fidelity, chips::economy_of(inputs), breakdown);
    }
    auto const made = planned(p, point);
    if (auto const* verdict = std::get_if<Infeasible>(&made)) return *verdict;
    auto const& work = std::get<Planned>(made);
    Solved const solved(p, work, fidelity);
    if (breakdown != nullptr) *breakdown = breakdown_of(p, work.design, solved);
    return result_of(inputs, work, solved, fidelity);
}

Trace trace(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& p = inputs.as<Prepared>();
    auto const made = planned(p, point);
    if (std::holds_alternative<Infeasible>(made)) return {};
    auto const& work = std::get<Planned>(made);
    Trace events;
    Breakdown shares;
    if (work.design.is_request()) {
        (void)request(inputs, point, fidelity, &shares);
    } else {
        Solved const solved(p, work, fidelity);
        if (work.plan.pipelined) {
            auto const t = solved.costed().timeline(&sim::Bounded::value);
            append_intervals(events, t, stream_exchanges(p, work.design, work.plan, t));
            return events;
        }
        shares = breakdown_of(p, work.design, solved);
    }
    double start = 0.0;
    for (auto const& share : shares.time) {
        if (share.amount == 0.0) continue;
        events.push_back(
            {share.what, share.what.find("kernel") == std::string::npos ? "host" : "dpus", start, share.amount});
        start += share.amount;
    }
    return events;
}

std::variant<Planned, Infeasible> planned(Prepared const& p, Point point) {
    Design d = read_design(p, point);
    if (auto verdict = check_design(p, d)) return *verdict;
    Planned result{d, plan(p, d)};
    if (auto verdict = check_memory(p, d, result.plan)) return *verdict;
    return result;
}

}  // namespace pimdse::models::upmem
