#include "dse/space/requested_machine.hpp"

#include "dse/space/violation.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/finite_metrics.hpp"
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

/// The first missing row of a scenario that is served, or of the point itself without scenarios; "" if there is none.
std::string first_missing_row(Machine const& machine, models::Point point) {
    if (machine.tables.empty()) return "";
    if (machine.scenarios.empty()) return space::missing_row(machine, point);
    std::vector<models::Value> requested;
    for (auto const& scenario : machine.scenarios.list()) {
        if (!scenario.refusal.empty()) return "";  // the point is infeasible for another reason
        requested.assign(point.begin(), point.end());
        for (auto const& [parameter, value] : scenario.asks) requested[parameter] = value;
        if (auto const why = space::missing_row(machine, requested); !why.empty())
            return fmt::format("{}: {}", scenario.written.name, why);
    }
    return "";
}

}  // namespace

std::string missing_row(Machine const& machine, models::Point point) {
    for (auto const& table : machine.tables) {
        if (table.row_of(point) == nullptr) return table.why_missing(machine.parameters(), point);
    }
    return "";
}

void add_table_metrics(Machine const& machine, models::Point point, models::Metrics& metrics) {
    for (auto const& table : machine.tables) {
        auto const* row = table.row_of(point);
        for (std::size_t c = 0; c < table.table().head.columns.size(); ++c)
            metrics.push_back(row == nullptr ? models::does_not_apply() : models::Estimate(row->metrics[c]));
    }
}

models::Outcome evaluate_scenario(Machine const& machine, std::size_t scenario, models::Point point,
                                  models::Fidelity fidelity) {
    auto const* traffic = machine.scenarios.list()[scenario].traffic.get();
    auto outcome = models::outcome_safely([&] {
        return traffic == nullptr ? machine.architecture->evaluate(machine.inputs, point, fidelity)
                                  : models::service::evaluate_service(*machine.architecture, machine.inputs, point,
                                                                      fidelity, *traffic);
    });
    outcome = models::finite_or_defect(*machine.architecture, machine.inputs, point, std::move(outcome));
    auto* metrics = std::get_if<models::Metrics>(&outcome);
    if (metrics == nullptr) return outcome;
    if (traffic == nullptr && machine.scenarios.serve())
        metrics->resize(metrics->size() + models::service::service_metrics().size(), models::does_not_apply());
    space::add_table_metrics(machine, point, *metrics);
    return outcome;
}

models::Outcome evaluate_ignoring_constraints(Machine const& machine, models::Point point, models::Fidelity fidelity) {
    if (!machine.scenarios.empty()) return in_all_scenarios(machine, point, fidelity);
    auto outcome = models::evaluate_safely(*machine.architecture, machine.inputs, point, fidelity);
    if (auto* metrics = std::get_if<models::Metrics>(&outcome)) space::add_table_metrics(machine, point, *metrics);
    return outcome;
}

models::Outcome evaluate_machine(Machine const& machine, models::Point point, models::Fidelity fidelity) {
    for (auto const& constraint : machine.constraints) {
        if (constraint.parameters_only && !constraint.expression.holds(point, {}))
            return models::Infeasible{constraint.name, fmt::format("{} is not met", constraint.expression.text()),
                                      violation_of(machine, true, point, {})};
    }
    if (auto why = first_missing_row(machine, point); !why.empty())
        return models::Infeasible{std::string(table_rule), std::move(why)};
    return evaluate_ignoring_constraints(machine, point, fidelity);
}

}  // namespace pimdse::dse::space
