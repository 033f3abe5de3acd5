#include "dse/space/violation.hpp"

#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace pimdse::dse::space {
namespace {

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
