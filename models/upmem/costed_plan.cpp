#include "models/upmem/costed_plan.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace pimdse::models::upmem {
namespace {

constexpr std::array counters{std::pair{&Counted::instructions, &dpu::Counters::instructions},
                              std::pair{&Counted::idle_dma, &dpu::Counters::idle_dma},
                              std::pair{&Counted::idle_other, &dpu::Counters::idle_other},
                              std::pair{&Counted::back_pressure, &dpu::Counters::back_pressure},
                              std::pair{&Counted::hazard_cycles, &dpu::Counters::hazard_cycles}};

constexpr std::array<End, 3> ends{&sim::Bounded::value, &sim::Bounded::lower, &sim::Bounded::upper};

std::vector<double> ends_of(std::vector<sim::Bounded> const& launches, End end) {
    std::vector<double> all;
    all.reserve(launches.size());
    for (auto const& launch : launches) all.push_back(launch.*end);
    return all;
}

Costs costs_of(LaunchCost const& cost) {
    Costs one{{cost.cycles}, {cost.dma_busy}, cost.issue_busy, cost.dma_busy};
    one.kinds = cost.cycles.kinds.weaker(cost.issue_busy.kinds);
    for (auto const& [to, from] : counters)
        one.counted.*to = cost.counters ? sim::as_double((*cost.counters).*from) : std::nan("");
    return one;
}

Costs costs_of(LaunchCosts const& known, Plan const& plan) {
    Costs costs;
    costs.cycles.reserve(plan.launches.size());
    costs.busy.reserve(plan.launches.size());
    std::vector<std::pair<Task const*, Costs>> seen;  // passes share tasks, which are few
    for (auto const& launch : plan.launches) {
        auto found = std::ranges::find_if(seen, [&](auto const& each) { return *each.first == launch.task; });
        if (found == seen.end()) found = seen.insert(seen.end(), {&launch.task, costs_of(known.of(launch.task))});
        auto const& one = found->second;
        costs.cycles.push_back(one.cycles.front());
        costs.busy.push_back(one.busy.front());
        costs.add(launch.count, one);
    }
    return costs;
}

}  // namespace

EnergyByRow beyond_rest(Prepared const& p, Standby const& rest, EnergyByRow joules, double seconds) {
    rest.each(seconds, std::array{0.0},
              [&](EnergyPart part, sim::Bounded const& waiting) { joules[part.row] -= waiting.value; });
    if (p.machine.host == Host::included) joules[energy_row("host_compute")] = 0.0;
    return joules;
}

LaunchCost const& LaunchCosts::of(Task const& task) const {
    auto const cost = [](Task const& key, LaunchCosts const& of) { return launch_cost(of.p, of.d, key, of.fidelity); };
    return known.get(task, cost, *this);
}

void Costs::add(double times, Costs const& more) {
    issue_busy += times * more.issue_busy;
    dma_busy += times * more.dma_busy;
    for (auto const& [count, _] : counters) counted.*count += times * more.counted.*count;
    kinds = kinds.weaker(more.kinds);
}

bool Costs::is_exact() const { return std::ranges::all_of(cycles, &sim::Bounded::is_exact) && issue_busy.is_exact(); }

CostedPlan::CostedPlan(LaunchCosts const& known, Plan const& plan)
    : p_(known.p),
      d_(known.d),
      powers_(known.powers),
      plan_(plan),
      costs_(costs_of(known, plan)),
      link_(link_times(p_, d_, plan)) {
    if (d_.lock != Lock::fine || !plan.pipelined || costs_.is_exact()) return;
    auto const streams = [&](End end) {
        return shared_streams(p_, d_, plan, link_, ends_of(costs_.cycles, end), ends_of(costs_.busy, end));
    };
    sharing_ =
        sharing_range(streams(&sim::Bounded::lower), streams(&sim::Bounded::upper), host_access(p_, d_, plan, link_));
}

Timeline CostedPlan::timeline(End end) const {
    if (sharing_ && end != &sim::Bounded::value) return bound_of_sharing(end);
    bool const shares = d_.lock == Lock::fine && plan_.pipelined;
    return make_timeline(p_, d_, plan_, link_, ends_of(costs_.cycles, end),
                         shares ? ends_of(costs_.busy, end) : std::vector<double>{});
}

EnergyByRow CostedPlan::energy(Timeline const& t, End end) const {
    return energy_rows_of(p_, d_, powers_, plan_, t, {ends_of(costs_.cycles, end), costs_.issue_busy.*end});
}

double CostedPlan::cycles(End end) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < costs_.cycles.size(); ++i) sum += plan_.launches[i].count * costs_.cycles[i].*end;
    return sum;
}

double CostedPlan::running_power(End work, End time, SharedBankCost const& shared) const {
    auto const done = ends_of(costs_.cycles, work), taken = ends_of(costs_.cycles, time);
    return upmem::running_power(p_, d_, plan_, {done, costs_.issue_busy.*work}, {taken, costs_.issue_busy.*time},
                                shared);
}

SharedBankCost CostedPlan::shared_cost(Timeline const& t) const {
    if (d_.lock != Lock::fine || t.reopened <= 0.0) return {};
    sim::Time kernels{};
    for (auto const& kernel : t.kernels) kernels += kernel.duration();
    return {t.reopened, std::max(0.0, (kernels - t.kernel).si)};
}

SharedBankCost CostedPlan::shared_cost(End end) const {
    if (!sharing_) return {};
    if (end == &sim::Bounded::lower) return {sharing_->rows_min, sharing_->longer_max.si};
    return {sharing_->rows_max, 0.0};
}

Timeline CostedPlan::with_sharing(Timeline t, End end) const {
    if (!sharing_) return t;
    bool const lower = end == &sim::Bounded::lower;
    t.queued = lower ? sharing_->queued_min : sharing_->queued_max;
    t.reopened = lower ? sharing_->rows_min : sharing_->rows_max;
    return t;
}

text::PartCost CostedPlan::sums() const {
    auto const at = [&](End end) {
        auto const t = timeline(end);
        return std::pair{t, beyond_rest(p_, powers_.rest, energy(t, end), t.total.si)};
    };
    auto const [t, joules] = at(&sim::Bounded::value);
    text::PartCost sums{.seconds = t.total.si, .joules = joules};
    sums.amounts = {t.input.si, t.output.si, t.launch.si, t.offload.si, t.host.si};
    sums.amounts.resize(Amount::size);
    if (!costs_.is_exact()) {
        auto const lower = at(&sim::Bounded::lower), upper = at(&sim::Bounded::upper);
        sums.seconds = sim::Bounded::within(t.total.si, lower.first.total.si, upper.first.total.si, costs_.kinds);
        sums.joules_below = std::max(0.0, sum_of(joules) - sum_of(lower.second));
        sums.joules_above = std::max(0.0, sum_of(upper.second) - sum_of(joules));
    }
    for (auto const& launch : plan_.launches) {
        sums.amounts[Amount::mram_bytes] += launch.count * launch.task.work.mram_traffic();
        sums.amounts[Amount::mram_rows] += launch.count * launch.task.work.rows();
    }
    for (std::size_t i = 0; i < counters.size(); ++i)
        sums.amounts[Amount::counts + i] = costs_.counted.*counters[i].first;
    std::size_t next = Amount::all_cycles;
    for (End const end : ends) sums.amounts[next++] = cycles(end);
    for (auto const busy : {&Costs::issue_busy, &Costs::dma_busy})
        for (End const end : ends) sums.amounts[next++] = costs_.*busy.*end;
    return sums;
}

/// Lock fine: between streams without a lock and streams that take turns, less what they certainly save. The least cost
/// of sharing is not a proved bound of an energy, because it decreases with the longest kernel.
Timeline CostedPlan::bound_of_sharing(End end) const {
    bool const lower = end == &sim::Bounded::lower;
    Design d = d_;
    d.lock = lower ? Lock::none : Lock::exclusive;
    auto t = make_timeline(p_, d, plan_, link_, ends_of(costs_.cycles, end));
    if (lower) return t;
    t = with_sharing(std::move(t), end);
    t.overlapped -= sharing_->saved;
    t.total -= sharing_->saved;
    return t;
}

}  // namespace pimdse::models::upmem
