#include "dse/space/evaluation.hpp"

#include "dse/space/machine.hpp"
#include "dse/space/requested_machine.hpp"
#include "models/contract/common_metrics.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace pimdse::dse::space {
namespace {

/// The outcome of a point that has no finite value of this metric. `what` names it if it should have one.
models::Outcome without_number(space::Space const& space, std::size_t at, models::Point point,
                               models::Estimate const& value, models::Metric const& metric, std::string const& what) {
    auto const why = space::why_not_here(space.machines()[at], metric.name, point);
    if (!models::applies(value) && (!why.empty() || metric.needs.empty()))
        return models::Infeasible{"not_applicable",
                                  why.empty() ? fmt::format("{} does not apply to this point", metric.name) : why};
    return models::Defect{what + " is not a finite number", models::DefectKind::not_a_number};
}

/// The reason why a formula has no finite value: a metric that it reads has none, or it divides by zero.
models::Outcome why_no_number(space::Space const& space, std::size_t at, models::Point point,
                              models::Metrics const& metrics, space::MetricFormula const& formula) {
    for (auto const read : formula.reads()) {
        auto const& value = metrics[space.place_of(read)];
        auto const& metric = space.plain_metrics()[read];
        if (!std::isfinite(value.value))
            return without_number(space, at, point, value, metric,
                                  fmt::format("{}, which objective {} reads,", metric.name, formula.metric().name));
    }
    return models::Infeasible{"not_applicable",
                              fmt::format("objective {} divides by zero here", formula.metric().name)};
}

/// An objective that does not apply to the point makes it infeasible; one that applies but is not a finite number is a
/// defect of the model.
std::optional<models::Outcome> unusable_objective(space::Space const& space, std::size_t at, models::Point point,
                                                  models::Metrics const& metrics) {
    for (auto const& objective : space.objectives()) {
        auto const& value = metrics[objective.metric];
        if (std::isfinite(value.value)) continue;
        if (auto const* formula = space.formula_at(objective.metric))
            return why_no_number(space, at, point, metrics, *formula);
        auto const& metric = space.metrics()[objective.metric];
        return without_number(space, at, point, value, metric, fmt::format("objective {}", metric.name));
    }
    return std::nullopt;
}

/// Converts the metrics of a machine to those of the space, and checks that objectives are finite and constraints met.
models::Outcome checked(space::Space const& space, std::size_t at, models::Point point, models::Metrics own) {
    auto const& machine = space.machines()[at];
    if (own.size() != space.metrics_evaluated_by(at))
        return models::Defect{fmt::format("the architecture returned {} metrics and declares {}", own.size(),
                                          space.metrics_evaluated_by(at))};
    auto const failed = std::ranges::find_if(machine.constraints, [&](auto const& constraint) {
        return !constraint.parameters_only && !constraint.expression.holds(point, own);
    });
    std::optional<models::Infeasible> refused;
    if (failed != machine.constraints.end())
        refused = space::broken(machine, *failed, own, space::violation_of(machine, false, point, own));
    auto metrics = space.placed(at, std::move(own));
    if (auto unusable = unusable_objective(space, at, point, metrics)) return *std::move(unusable);
    if (refused) return *std::move(refused);
    return metrics;
}

template <class Result, class Evaluate>
std::vector<Result> all_of(std::size_t count, int threads, Evaluate const& evaluate_one) {
    std::vector<Result> results(count);
    tbb::task_arena arena(threads);
    arena.execute(
        [&] { tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { results[i] = evaluate_one(i); }); });
    return results;
}

using models::Bound;
using models::Estimate;
using models::Fidelity;

bool has_bounds(Estimate const& e) { return !std::isnan(e.value) && e.kinds != Bound::none; }

/// The width of the interval over the value; infinite if an end has no bound, or if the value is 0 and the end is not.
double width_of(Estimate const& e) {
    constexpr double unbounded = std::numeric_limits<double>::infinity();
    if (e.kinds.lower == Bound::none || e.kinds.upper == Bound::none) return unbounded;
    if (e.lower == e.upper) return 0.0;
    double const width = (e.upper - e.lower) / std::abs(e.value);
    return std::isnan(width) ? unbounded : width;
}

std::string percent(double share) { return sim::print_number(100.0 * share, 3) + " %"; }

/// "latency is known within 4.1 %"
std::string too_wide(models::Metric const& metric, Estimate const& e, double width) {
    if (std::isfinite(width)) return fmt::format("{} is known within {} only", metric.name, percent(width));
    if (e.kinds.lower == Bound::none) return metric.name + " has no lower bound";
    if (e.kinds.upper == Bound::none) return metric.name + " has no upper bound";
    return fmt::format("{} is known to be from {} to {} only", metric.name, sim::print_quantity(e.lower, metric.unit),
                       sim::print_quantity(e.upper, metric.unit));
}

}  // namespace

models::Outcome outcome_of(space::Space const& space, std::size_t at, models::Point point, models::Fidelity fidelity) {
    return outcome_of(space, at, space.machines()[at], point, fidelity);
}

models::Outcome outcome_of(space::Space const& space, std::size_t at, space::Machine const& machine,
                           models::Point point, models::Fidelity fidelity) {
    auto outcome = space::evaluate_machine(machine, point, fidelity, space::StopAt::refusal);
    if (auto* metrics = std::get_if<models::Metrics>(&outcome)) return checked(space, at, point, std::move(*metrics));
    return outcome;
}

space::Result evaluate(space::Space const& space, space::Task task) {
    using Clock = std::chrono::steady_clock;
    thread_local std::vector<models::Value> point;
    auto const start = Clock::now();
    space.decode(task.point, point);
    space::Result result{task, outcome_of(space, space.machine_of(task.point), point, task.fidelity), 0.0, 0};
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return result;
}

std::vector<space::Result> results_of(space::Space const& space, std::vector<space::Task> const& tasks, int threads) {
    return all_of<space::Result>(tasks.size(), threads, [&](std::size_t i) { return evaluate(space, tasks[i]); });
}

std::vector<models::Outcome> outcomes_of(space::Machine const& machine,
                                         std::vector<std::vector<models::Value>> const& points,
                                         models::Fidelity fidelity, int threads) {
    return all_of<models::Outcome>(
        points.size(), threads, [&](std::size_t i) { return space::evaluate_machine(machine, points[i], fidelity); });
}

HybridLevel hybrid_level(models::MetricList const& metrics, models::Outcome const& closed_form, double tolerance,
                         std::span<std::size_t const> counted) {
    if (std::holds_alternative<models::Infeasible>(closed_form))
        return {Fidelity::analytic, "closed form: it rules the point out", "", 0.0, true};
    auto const* values = std::get_if<models::Metrics>(&closed_form);
    if (values == nullptr) return {Fidelity::cycle, "simulated: the closed form fails", "", 0.0, true};
    HybridLevel level;
    std::size_t widest = metrics.size();
    auto const count = [&](std::size_t i) {
        auto const& e = (*values)[i];
        if (!has_bounds(e)) return;
        double const width = width_of(e);
        level.proved &= width == 0.0 || (e.kinds.lower == Bound::proved && e.kinds.upper == Bound::proved);
        if (widest < metrics.size() && width <= level.widest) return;
        widest = i;
        level.widest = width;
    };
    for (auto const i : counted) count(i);
    for (std::size_t i = 0; counted.empty() && i < metrics.size(); ++i) count(i);
    if (widest == metrics.size()) {
        level.fidelity = Fidelity::cycle;
        level.why = "simulated: the closed form has no bounds";
        return level;
    }
    level.metric = metrics[widest].name;
    if (level.widest <= tolerance) {
        level.why = level.widest == 0.0 ? "closed form: it is exact"
                                        : fmt::format("closed form: its intervals are within {} ({})",
                                                      percent(level.widest), level.proved ? "proved" : "calibrated");
        return level;
    }
    level.fidelity = Fidelity::cycle;
    level.why = "simulated: " + too_wide(metrics[widest], (*values)[widest], level.widest);
    return level;
}

}  // namespace pimdse::dse::space
