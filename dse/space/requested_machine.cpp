#include "dse/space/requested_machine.hpp"

#include "dse/space/expression_bounds.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/service/service_metrics.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
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

/// The metrics of a point of which the scenario `at` is known so far, those before it are complete, and the others are
/// not known.
models::Metrics with_unknown(Machine const& machine, std::vector<models::Metrics> results, models::Metrics so_far) {
    auto const metrics = machine.scenarios.metrics().size();
    so_far.resize(metrics, models::does_not_apply());
    results.push_back(std::move(so_far));
    results.resize(machine.scenarios.list().size(), models::Metrics(metrics, models::does_not_apply()));
    return machine.scenarios.combined(std::move(results), {});
}

/// The first constraint on metrics that no result within these bounds meets.
std::optional<models::Infeasible> sure_refusal(Machine const& machine, models::Point point,
                                               models::Metrics const& known) {
    for (auto const& constraint : machine.constraints)
        if (!constraint.parameters_only && surely_fails(constraint.expression, point, known))
            return broken(machine, constraint, known, violation_of(constraint.expression, point, known), true);
    return std::nullopt;
}

/// Evaluates the point in every scenario. If the point or its baseline is infeasible or fails in a scenario, the
/// outcome of the first such scenario is returned.
models::Outcome in_all_scenarios(Machine const& machine, models::Point point, models::Fidelity fidelity,
                                 bool until_refused) {
    auto const& scenarios = machine.scenarios;
    bool const reads_metrics = std::ranges::any_of(machine.constraints, [](Constraint const& constraint) {
        return !constraint.parameters_only && constraint.expression.uses_metrics();
    });
    bool const may_refuse = until_refused && reads_metrics && scenarios.baseline() == nullptr;
    std::vector<models::Value> requested;
    std::vector<models::Metrics> results, others;
    for (std::size_t s = 0; s < scenarios.list().size(); ++s) {
        auto const& scenario = scenarios.list()[s];
        auto const& name = scenario.written.name;
        if (!scenario.refusal.empty()) return models::Infeasible{"scenario", name + ": " + scenario.refusal};
        requested.assign(point.begin(), point.end());
        for (auto const& [parameter, value] : scenario.asks) requested[parameter] = value;
        bool refused = false;
        models::service::Refusal refusal;
        if (may_refuse)
            refusal = [&](models::Metrics const& so_far) {
                auto why = sure_refusal(machine, point, with_unknown(machine, results, so_far));
                refused = why.has_value();
                return why;
            };
        auto outcome = evaluate_scenario(machine, s, requested, fidelity, refusal);
        if (refused) return outcome;
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
    for (auto const& scenario : machine.scenarios.list()) {
        if (!scenario.refusal.empty()) return "";  // the point is infeasible for another reason
        if (auto const why = space::missing_row(machine, scenario.of(point)); !why.empty())
            return fmt::format("{}: {}", scenario.written.name, why);
    }
    return "";
}

/// Why a point cannot be evaluated at all.
std::optional<models::Infeasible> refusal_of_point(Machine const& machine, models::Point point) {
    for (auto const& constraint : machine.constraints) {
        if (constraint.parameters_only && !constraint.expression.holds(point, {}))
            return models::Infeasible{constraint.name, fmt::format("{} is not met", constraint.expression.text()),
                                      violation_of(machine, true, point, {})};
    }
    if (auto why = first_missing_row(machine, point); !why.empty())
        return models::Infeasible{std::string(table_rule), std::move(why)};
    return std::nullopt;
}

using Code = models::Expression::Code;
constexpr double unmeasured = models::Infeasible::unmeasured;

/// What is known of an operand: of a number, its value and the sum of the absolute values of its terms; of a condition,
/// by how much the point breaks it, and its opposite.
struct Operand {
    double value = 0.0, size = 0.0;
    bool fixed = false;   ///< without parameters and metrics
    bool ordered = true;  ///< not a name or a flag
    double broken = 0.0, opposite_broken = 0.0;
};

double known(double violation) { return std::isnan(violation) ? unmeasured : violation; }

Operand number(double value, bool fixed, bool ordered) {
    Operand operand{value, std::abs(value), fixed, ordered};
    operand.broken = std::isnan(value) ? unmeasured : value != 0.0 ? 0.0 : 1.0;
    operand.opposite_broken = std::isnan(value) ? unmeasured : value != 0.0 ? 1.0 : 0.0;
    return operand;
}

Operand parameter(models::Value const& value, double scale) {
    auto const kind = value.kind();
    bool const ordered = kind == models::Kind::integer || kind == models::Kind::quantity;
    return number(models::Expression::number_of(value, scale), false, ordered);
}

Operand arithmetic(Code code, Operand const& a, Operand const& b) {
    bool const fixed = a.fixed && b.fixed;
    switch (code) {
        case Code::add:
            return {a.value + b.value, a.size + b.size, fixed};
        case Code::subtract:
            return {a.value - b.value, a.size + b.size, fixed};
        case Code::multiply:
            return {a.value * b.value, a.size * b.size, fixed};
        default:
            return {a.value / b.value, a.size / std::abs(b.value), fixed};
    }
}

Operand comparison(Code code, Operand const& a, Operand const& b) {
    bool const left_is_limit = a.fixed && !b.fixed;
    auto const& limit = left_is_limit ? a : b;
    double const size = limit.value != 0.0 ? std::abs(limit.value) : (left_is_limit ? b : a).size;
    bool const alike = a.ordered && b.ordered;
    double const distance = a.value == b.value ? 0.0 : alike ? known((a.value - b.value) / size) : 1.0;
    double const above = std::max(distance, 0.0), below = std::max(-distance, 0.0);
    Operand result;
    switch (code) {
        case Code::less:
        case Code::less_equal:
            result.broken = above;
            result.opposite_broken = below;
            break;
        case Code::greater:
        case Code::greater_equal:
            result.broken = below;
            result.opposite_broken = above;
            break;
        case Code::equal:
            result.broken = std::abs(distance);
            break;
        default:
            result.opposite_broken = std::abs(distance);
    }
    if (std::isnan(a.value) || std::isnan(b.value)) result.broken = result.opposite_broken = unmeasured;
    return result;
}

Operand joined(Code code, Operand const& a, Operand const& b) {
    Operand result;
    bool const all = code == Code::logical_and;
    result.broken = all ? a.broken + b.broken : std::min(a.broken, b.broken);
    result.opposite_broken =
        all ? std::min(a.opposite_broken, b.opposite_broken) : a.opposite_broken + b.opposite_broken;
    return result;
}

Operand applied(Code code, Operand const& a, Operand const& b) {
    if (code <= Code::divide) return arithmetic(code, a, b);
    return code == Code::logical_and || code == Code::logical_or ? joined(code, a, b) : comparison(code, a, b);
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
                                  models::Fidelity fidelity, models::service::Refusal const& refusal) {
    auto const* traffic = machine.scenarios.list()[scenario].traffic.get();
    auto outcome = models::outcome_safely([&] {
        return traffic == nullptr ? machine.architecture->evaluate(machine.inputs, point, fidelity)
                                  : models::service::evaluate_service(*machine.architecture, machine.inputs, point,
                                                                      fidelity, *traffic, refusal);
    });
    outcome = models::finite_or_defect(*machine.architecture, machine.inputs, point, std::move(outcome));
    auto* metrics = std::get_if<models::Metrics>(&outcome);
    if (metrics == nullptr) return outcome;
    if (traffic == nullptr && machine.scenarios.serve())
        metrics->resize(metrics->size() + models::service::service_metrics().size(), models::does_not_apply());
    space::add_table_metrics(machine, point, *metrics);
    return outcome;
}

models::Outcome evaluate_machine(Machine const& machine, models::Point point, models::Fidelity fidelity, StopAt stop) {
    auto refused = stop == StopAt::nothing ? std::nullopt : refusal_of_point(machine, point);
    if (refused) return *std::move(refused);
    if (!machine.scenarios.empty()) return in_all_scenarios(machine, point, fidelity, stop == StopAt::refusal);
    auto outcome = models::evaluate_safely(*machine.architecture, machine.inputs, point, fidelity);
    if (auto* metrics = std::get_if<models::Metrics>(&outcome)) space::add_table_metrics(machine, point, *metrics);
    return outcome;
}

models::Outcome known_before_serving(Machine const& machine, models::Point point, models::Fidelity fidelity) {
    if (auto refused = refusal_of_point(machine, point)) return *std::move(refused);
    auto const& list = machine.scenarios.list();
    if (list.size() != 1 || list[0].traffic == nullptr || machine.scenarios.baseline() != nullptr)
        return models::Metrics(machine.metrics().size(), models::does_not_apply());
    if (!list[0].refusal.empty()) return models::Infeasible{"scenario", list[0].refusal};
    auto const requested = list[0].of(point);
    auto outcome = models::outcome_safely([&] {
        return models::service::known_before_serving(*machine.architecture, machine.inputs, requested, fidelity,
                                                     *list[0].traffic);
    });
    auto* metrics = std::get_if<models::Metrics>(&outcome);
    return metrics == nullptr ? outcome : with_unknown(machine, {}, std::move(*metrics));
}

double violation_of(models::Expression const& condition, models::Point point,
                    std::span<models::Estimate const> metrics) {
    std::array<Operand, models::Expression::deepest> stack{};
    std::size_t top = 0;
    for (auto const& step : condition.steps()) {
        if (step.code == Code::number) {
            stack[top++] = number(step.number, true, true);
        } else if (step.code == Code::parameter) {
            stack[top++] = parameter(point[step.index], step.scale);
        } else if (step.code == Code::metric) {
            stack[top++] = number(models::Expression::number_of(metrics[step.index], step), false, true);
        } else if (step.code == Code::negate) {
            stack[top - 1].value = -stack[top - 1].value;
        } else if (step.code == Code::logical_not) {
            std::swap(stack[top - 1].broken, stack[top - 1].opposite_broken);
        } else {
            --top;
            stack[top - 1] = applied(step.code, stack[top - 1], stack[top]);
        }
    }
    return stack[0].broken;
}

double violation_of(Machine const& machine, bool parameters_only, models::Point point,
                    std::span<models::Estimate const> metrics) {
    double sum = 0.0;
    for (auto const& constraint : machine.constraints) {
        if (constraint.parameters_only == parameters_only) sum += violation_of(constraint.expression, point, metrics);
    }
    return sum;
}

models::Infeasible broken(Machine const& machine, Constraint const& constraint, models::Metrics const& metrics,
                          double violation, bool so_far) {
    std::string text;
    auto const table = machine.metrics();
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        if (!constraint.expression.reads_metric(i)) continue;
        auto const& value = metrics[i];
        text += text.empty() ? "" : ", ";
        if (std::isnan(value.value))
            text += fmt::format("{} {}", table[i].name,
                                !table[i].absent.empty() ? table[i].absent
                                : so_far                 ? "is not known"
                                                         : "does not apply");
        else
            text += fmt::format("{} {} {}", table[i].name,
                                so_far && value.kinds.upper == models::Bound::none ? "is at least" : "=",
                                sim::print_quantity(value.value, table[i].unit));
    }
    return {constraint.name, fmt::format("{} is not met: {}", constraint.expression.text(), text), violation};
}

}  // namespace pimdse::dse::space
