#include "dse/evaluate/evaluation.hpp"

#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cmath>

namespace pimdse::dse::evaluate {
namespace {

/// "footprint = 17.2 GiB" for every metric a condition reads, so that the row says by how much it failed.
std::string values_read(space::Machine const& machine, space::Constraint const& constraint,
                        models::Metrics const& metrics) {
    std::string text;
    auto const table = machine.metrics();
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        if (!constraint.expression.reads_metric(i)) continue;
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", table[i].name,
                            sim::print_quantity(metrics[i].value, table[i].unit));
    }
    return text;
}

std::string nan_objective(space::Space const& space, models::Metrics const& metrics) {
    for (auto const& objective : space.objectives()) {
        if (!std::isfinite(metrics[objective.metric].value)) return space.metrics()[objective.metric].name;
    }
    return "";
}

/// What a machine answers as an answer of the space: objectives are numbers and conditions are met.
models::Outcome checked(space::Space const& space, std::size_t at, models::Point point, models::Metrics own) {
    auto const& machine = space.machines()[at];
    if (own.size() != space.metrics_answered_by(at))
        return models::Defect{"the architecture answered another number of metrics than it declares"};
    auto const failed = std::ranges::find_if(machine.constraints, [&](auto const& constraint) {
        return !constraint.before && !constraint.expression.holds(point, own);
    });
    auto const why = failed == machine.constraints.end() ? "" : values_read(machine, *failed, own);
    auto metrics = space.placed(at, std::move(own));
    if (auto const name = nan_objective(space, metrics); !name.empty())
        return models::Defect{fmt::format("objective {} is not a finite number", name),
                              models::DefectKind::not_a_number};
    if (failed != machine.constraints.end())
        return models::Infeasible{failed->name, fmt::format("{} is not met: {}", failed->expression.text(), why)};
    return metrics;
}

models::Outcome with_words_before(std::string const& words, models::Outcome outcome) {
    if (auto* refused = std::get_if<models::Infeasible>(&outcome)) refused->reason = words + refused->reason;
    if (auto* defect = std::get_if<models::Defect>(&outcome)) defect->what = words + defect->what;
    return outcome;
}

/// The point asked in every scenario; the first that it, or its baseline, does not serve is the answer.
models::Outcome in_all_scenarios(space::Machine const& machine, models::Point point, models::Fidelity fidelity) {
    auto const& scenarios = machine.scenarios;
    std::vector<models::Value> asked;
    std::vector<models::Metrics> answers, others;
    for (std::size_t s = 0; s < scenarios.list().size(); ++s) {
        auto const& scenario = scenarios.list()[s];
        auto const& name = scenario.written.name;
        if (!scenario.refusal.empty()) return models::Infeasible{"scenario", name + ": " + scenario.refusal};
        asked.assign(point.begin(), point.end());
        for (auto const& [parameter, value] : scenario.asks) asked[parameter] = value;
        auto outcome = models::evaluate_safely(*machine.architecture, machine.inputs, asked, fidelity);
        if (!std::holds_alternative<models::Metrics>(outcome))
            return with_words_before(name + ": ", std::move(outcome));
        answers.push_back(std::get<models::Metrics>(std::move(outcome)));
        if (auto const why = scenarios.refusal_of(scenario, answers.back()); !why.empty())
            return models::Infeasible{"scenario", name + ": " + why};
        if (scenarios.baseline() == nullptr) continue;
        outcome = scenarios.baseline()->outcome(s, machine.inputs, asked, fidelity);
        if (!std::holds_alternative<models::Metrics>(outcome))
            return with_words_before(name + ": the baseline: ", std::move(outcome));
        others.push_back(std::get<models::Metrics>(std::move(outcome)));
    }
    return scenarios.combined(std::move(answers), others);
}

}  // namespace

models::Outcome outcome_of(space::Space const& space, std::size_t at, models::Point point, models::Fidelity fidelity) {
    auto const& machine = space.machines()[at];
    for (auto const& constraint : machine.constraints) {
        if (constraint.before && !constraint.expression.holds(point, {}))
            return models::Infeasible{constraint.name, fmt::format("{} is not met", constraint.expression.text())};
    }
    auto outcome = machine.scenarios.empty()
                       ? models::evaluate_safely(*machine.architecture, machine.inputs, point, fidelity)
                       : in_all_scenarios(machine, point, fidelity);
    if (auto* metrics = std::get_if<models::Metrics>(&outcome)) return checked(space, at, point, std::move(*metrics));
    return outcome;
}

task::Answer answer(space::Space const& space, task::Task task) {
    using Clock = std::chrono::steady_clock;
    thread_local std::vector<models::Value> point;
    auto const start = Clock::now();
    space.decode(task.point, point);
    task::Answer result{task, outcome_of(space, space.machine_of(task.point), point, task.fidelity), 0.0, 0};
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return result;
}

}  // namespace pimdse::dse::evaluate
