#include "dse/space/requested_machine.hpp"

#include "models/contract/common_metrics.hpp"
#include "models/service/service.hpp"
#include "models/service/service_metrics.hpp"

#include <fmt/format.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::dse::space {
namespace {

// Reasons of infeasible points are stored in result files and enter their digests: do not reword them.
models::Outcome with_words_before(std::string const& words, models::Outcome outcome) {
    if (auto* refused = std::get_if<models::Infeasible>(&outcome)) refused->reason = words + refused->reason;
    if (auto* defect = std::get_if<models::Defect>(&outcome)) defect->what = words + defect->what;
    return outcome;
}

/// Evaluates the point in every scenario. If the point or its baseline is infeasible or fails in a scenario, the
/// outcome of the first such scenario is returned.
models::Outcome in_all_scenarios(Machine const& machine, models::Point point, models::Fidelity fidelity) {
    auto const& scenarios = machine.scenarios;
    std::vector<models::Value> requested;
    std::vector<models::Metrics> results, others;
    for (std::size_t s = 0; s < scenarios.list().size(); ++s) {
        auto const& scenario = scenarios.list()[s];
        auto const& name = scenario.written.name;
        if (!scenario.refusal.empty()) return models::Infeasible{"scenario", name + ": " + scenario.refusal};
        requested.assign(point.begin(), point.end());
        for (auto const& [parameter, value] : scenario.asks) requested[parameter] = value;
        auto outcome = evaluate_scenario(machine, s, requested, fidelity);
        if (!std::holds_alternative<models::Metrics>(outcome))
            return with_words_before(name + ": ", std::move(outcome));
        results.push_back(std::get<models::Metrics>(std::move(outcome)));
        if (auto const why = scenarios.refusal_of(scenario, results.back()); !why.empty())
            return models::Infeasible{"scenario", name + ": " + why};
        if (scenarios.baseline() == nullptr) continue;
        outcome = scenarios.baseline()->outcome(s, machine.inputs, requested, fidelity);
        if (!std::holds_alternative<models::Metrics>(outcome))
            return with_words_before(name + ": the baseline: ", std::move(outcome));
        others.push_back(std::get<models::Metrics>(std::move(outcome)));
    }
    return scenarios.combined(std::move(results), others);
}

}  // namespace

models::Outcome evaluate_scenario(Machine const& machine, std::size_t scenario, models::Point point,
                                  models::Fidelity fidelity) {
    auto const* traffic = machine.scenarios.list()[scenario].traffic.get();
    auto outcome = models::outcome_safely([&] {
        return traffic == nullptr ? machine.architecture->evaluate(machine.inputs, point, fidelity)
                                  : models::service::evaluate_service(*machine.architecture, machine.inputs, point,
                                                                      fidelity, *traffic);
    });
    auto* metrics = std::get_if<models::Metrics>(&outcome);
    if (metrics == nullptr || traffic != nullptr || !machine.scenarios.serve()) return outcome;
    metrics->resize(metrics->size() + models::service::service_metrics().size(), models::does_not_apply());
    return outcome;
}

models::Outcome evaluate_ignoring_constraints(Machine const& machine, models::Point point, models::Fidelity fidelity) {
    return machine.scenarios.empty() ? models::evaluate_safely(*machine.architecture, machine.inputs, point, fidelity)
                                     : in_all_scenarios(machine, point, fidelity);
}

models::Outcome evaluate_machine(Machine const& machine, models::Point point, models::Fidelity fidelity) {
    for (auto const& constraint : machine.constraints) {
        if (constraint.parameters_only && !constraint.expression.holds(point, {}))
            return models::Infeasible{constraint.name, fmt::format("{} is not met", constraint.expression.text())};
    }
    return evaluate_ignoring_constraints(machine, point, fidelity);
}

}  // namespace pimdse::dse::space
