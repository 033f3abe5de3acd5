#include "models/upmem/result.hpp"

#include "models/chips/group.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/upmem/metrics.hpp"
#include "models/upmem/parameters.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace pimdse::models::upmem {
namespace {

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
        : p_(p), d_(planned.design), known_{p, planned.design, fidelity} {
        parts_.reserve(planned.parts.size());
        for (auto const& part : planned.parts) {
            names_.push_back(part.name);
            parts_.emplace_back(known_, part.plan);
            all_.add(1.0, parts_.back().costs());
        }
    }

    [[nodiscard]] std::size_t size() const { return parts_.size(); }
    [[nodiscard]] std::string const& name(std::size_t i) const { return names_[i]; }
    [[nodiscard]] CostedPlan const& part(std::size_t i) const { return parts_[i]; }
    [[nodiscard]] Costs const& costs() const { return all_; }
    [[nodiscard]] bool is_exact() const {
        return std::ranges::all_of(parts_, [](CostedPlan const& part) { return part.costs().is_exact(); });
    }
    [[nodiscard]] PhaseLimit limit(std::size_t i, Timeline const& t) const {
        auto const& costs = parts_[i].costs();
        return limit_of(d_, names_[i].empty() ? "kernel" : names_[i], parts_[i].plan(), t,
                        {parts_[i].cycles(&sim::Bounded::value), costs.issue_busy.value, costs.dma_busy.value});
    }
    [[nodiscard]] Case at(End end) const {
        Case all;
        all.parts.reserve(size());
        for (auto const& part : parts_) {
            auto const& t = all.parts.emplace_back(part.timeline(end));
            if (all.parts.size() == 1)
                all.first = d_.is_request() ? t.total.si : std::numeric_limits<double>::quiet_NaN();
            all.t += t;
            all.kernel_cycles += part.cycles(end);
            double const joules = sum_of(part.energy(t, end));
            all.energy += joules;
            all.powers.push_back(mean_power(joules, t));
        }
        all.package_power = package(end, end, [&](std::size_t i) { return parts_[i].shared_cost(all.parts[i]); });
        return all;
    }
    /// Energy over time, with cycles and instructions at one end and the times of a case at the other: the energy that
    /// does not increase with time is minimal and spread over the longest time, or the other way round.
    [[nodiscard]] Draw power(End work, End end, Case const& time) const {
        Draw draw;
        double energies = 0.0;
        for (std::size_t i = 0; i < size(); ++i) {
            double const joules = sum_of(parts_[i].energy(parts_[i].with_sharing(time.parts[i], work), work));
            energies += joules;
            draw.parts.push_back(mean_power(joules, time.parts[i]));
        }
        draw.mean = energies / time.t.total.si;
        draw.package = package(work, end, [&](std::size_t i) { return parts_[i].shared_cost(work); });
        return draw;
    }
    /// Spans of a plan in one part.
    [[nodiscard]] Spans spans() const {
        auto const& part = parts_.front();
        return spans_of(part.timeline(&sim::Bounded::lower), part.timeline(&sim::Bounded::value),
                        part.timeline(&sim::Bounded::upper), all_.kinds);
    }

  private:
    /// Power of the chip that needs the most while its DPUs run, in the part that needs the most. `shared(part)`: what
    /// sharing the bank adds.
    template <class Shared>
    [[nodiscard]] double package(End work, End time, Shared const& shared) const {
        double max = 0.0;
        for (std::size_t i = 0; i < size(); ++i) {
            double const running = parts_[i].running_power(work, time, shared(i));
            max = std::max(max, package_power(p_.machine, d_, {running}).si);
        }
        return max;
    }

    Prepared const& p_;
    Design const& d_;
    LaunchCosts known_;
    std::vector<std::string> names_;
    std::vector<CostedPlan> parts_;
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
        auto t = solved.part(i).timeline(&sim::Bounded::value);
        set_visible_times(t);
        append_times(all.time, solved.name(i), t);
        append(all.energy, solved.part(i).energy(t, &sim::Bounded::value), solved.name(i));
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
    if (auto const& part = solved.part(0); part.plan().pipelined) {
        auto const t = part.timeline(&sim::Bounded::value);
        append_intervals(events, t, stream_exchanges(p, std::get<Planned>(made).design, part.plan(), t));
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
