#include "dse/evaluate/evaluation.hpp"

#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <chrono>
#include <cmath>

namespace pimdse::dse::evaluate {
namespace {

/// "footprint = 17.2 GiB" for every metric a condition reads, so that the row says by how much it failed.
std::string values_read(space::Space const& space, space::Constraint const& constraint,
                        models::Metrics const& metrics) {
    std::string text;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        auto const& metric = space.metrics()[i];
        if (!constraint.expression.reads_metric(i)) continue;
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", metric.name,
                            sim::print_quantity(metrics[i].value, metric.unit));
    }
    return text;
}

std::string nan_objective(space::Space const& space, models::Metrics const& metrics) {
    for (auto const& objective : space.objectives()) {
        if (!std::isfinite(metrics[objective.metric].value)) return space.metrics()[objective.metric].name;
    }
    return "";
}

models::Outcome checked_metrics(space::Space const& space, models::Point point, models::Metrics metrics) {
    if (metrics.size() != space.metrics().size())
        return models::Defect{"the architecture answered another number of metrics than it declares"};
    if (auto const name = nan_objective(space, metrics); !name.empty())
        return models::Defect{fmt::format("objective {} is not a finite number", name),
                              models::DefectKind::not_a_number};
    for (auto const& constraint : space.constraints()) {
        if (constraint.before || constraint.expression.holds(point, metrics)) continue;
        return models::Infeasible{constraint.name, fmt::format("{} is not met: {}", constraint.expression.text(),
                                                               values_read(space, constraint, metrics))};
    }
    return metrics;
}

models::Outcome with_words_before(std::string const& words, models::Outcome outcome) {
    if (auto* refused = std::get_if<models::Infeasible>(&outcome)) refused->reason = words + refused->reason;
    if (auto* defect = std::get_if<models::Defect>(&outcome)) defect->what = words + defect->what;
    return outcome;
}

/// The point asked in every scenario; the first that it, or its baseline, does not serve is the answer.
models::Outcome in_all_scenarios(space::Space const& space, models::Point point, models::Fidelity fidelity) {
    auto const& scenarios = space.scenarios();
    std::vector<models::Value> asked;
    std::vector<models::Metrics> answers, others;
    for (std::size_t s = 0; s < scenarios.list().size(); ++s) {
        auto const& scenario = scenarios.list()[s];
        auto const& name = scenario.written.name;
        if (!scenario.refusal.empty()) return models::Infeasible{"scenario", name + ": " + scenario.refusal};
        asked.assign(point.begin(), point.end());
        for (auto const& [parameter, value] : scenario.asks) asked[parameter] = value;
        auto outcome = models::evaluate_safely(space.architecture(), space.inputs(), asked, fidelity);
        if (!std::holds_alternative<models::Metrics>(outcome))
            return with_words_before(name + ": ", std::move(outcome));
        answers.push_back(std::get<models::Metrics>(std::move(outcome)));
        if (auto const why = scenarios.refusal_of(scenario, answers.back()); !why.empty())
            return models::Infeasible{"scenario", name + ": " + why};
        if (scenarios.baseline() == nullptr) continue;
        outcome = scenarios.baseline()->outcome(s, space.inputs(), asked, fidelity);
        if (!std::holds_alternative<models::Metrics>(outcome))
            return with_words_before(name + ": the baseline: ", std::move(outcome));
        others.push_back(std::get<models::Metrics>(std::move(outcome)));
    }
    return scenarios.combined(std::move(answers), others);
}

}  // namespace

models::Outcome outcome_of(space::Space const& space, models::Point point, models::Fidelity fidelity) {
    for (auto const& constraint : space.constraints()) {
        if (constraint.before && !constraint.expression.holds(point, {})) {
            return models::Infeasible{constraint.name, fmt::format("{} is not met", constraint.expression.text())};
        }
    }
    auto outcome = space.scenarios().empty()
                       ? models::evaluate_safely(space.architecture(), space.inputs(), point, fidelity)
                       : in_all_scenarios(space, point, fidelity);
    if (auto* metrics = std::get_if<models::Metrics>(&outcome))
        return checked_metrics(space, point, std::move(*metrics));
    return outcome;
}

task::Answer answer(space::Space const& space, task::Task task) {
    using Clock = std::chrono::steady_clock;
    thread_local std::vector<models::Value> point;
    auto const start = Clock::now();
    space.decode(task.point, point);
    task::Answer result{task, outcome_of(space, point, task.fidelity), 0.0, 0};
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return result;
}

}  // namespace pimdse::dse::evaluate
