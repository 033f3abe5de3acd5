#pragma once

#include "models/expression/expression.hpp"
#include "models/expression/expression_parser.hpp"
#include "sim/base/json.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::space {

/// True if the bounds prove that the condition fails: no metrics within the proved bounds meet it, and so no result of
/// a finer fidelity does. A metric that is NaN (unknown) or without bounds may have any value. A metric that becomes
/// unknown at a finer fidelity cannot make a condition true that no value within its bounds makes true (Expression: an
/// unknown result never counts as yes).
[[nodiscard]] bool surely_fails(models::Expression const& condition, models::Point point,
                                std::span<models::Estimate const> metrics);

/// The same for all points whose numbers lie between those of `min` and `max`, and whose choices are equal in both or
/// are not read by the condition.
[[nodiscard]] bool surely_fails(models::Expression const& condition, models::Point min, models::Point max,
                                std::span<models::Estimate const> metrics);

/// A comparison whose result is decided by a metric's estimate and not by its interval.
struct Crossing {
    std::string comparison;  ///< as written: "power <= 10 W"
    std::string_view end;  ///< the interval end on the other side of the limit: "upper bound", "lower bound", "bounds"
};

/// The comparisons that decide a condition by estimates only: values within the proved or calibrated intervals of these
/// metrics could change its result. An interval end without a bound counts as infinite. Empty if the condition is
/// unknown.
[[nodiscard]] std::vector<Crossing> crossings(models::Expression const& condition, models::Point point,
                                              std::span<models::Estimate const> metrics,
                                              models::Expression::Absent const& absent = {});

/// An interval of numbers; truth values are 1 and 0. Rounding is monotone, so that results computed from interval ends
/// bound the results of all numbers in between.
struct Reach {
    static constexpr double infinite = std::numeric_limits<double>::infinity();
    double lower = 0.0, upper = 0.0;

    [[nodiscard]] bool may_be_false() const { return lower <= 0.0 && upper >= 0.0; }
    [[nodiscard]] bool may_be_true() const { return lower != 0.0 || upper != 0.0; }
    [[nodiscard]] static Reach anywhere() { return {-infinite, infinite}; }
    [[nodiscard]] static Reach truth(bool may_be_false, bool may_be_true) {
        return {may_be_false ? 0.0 : 1.0, may_be_true ? 1.0 : 0.0};
    }
};

/// The interval of `a CODE b` for operands in these intervals (interval arithmetic).
[[nodiscard]] Reach applied(models::Expression::Code code, Reach const& a, Reach const& b);

/// The interval of an expression's result. `of_metric(step)` and `of_parameter(step)` return the interval of the number
/// that a step loads, in SI; `at_step(index, reach)` is called with the result of every step.
template <class OfMetric, class OfParameter, class AtStep>
[[nodiscard]] Reach reach_of(models::Expression const& expression, OfMetric of_metric, OfParameter of_parameter,
                             AtStep at_step) {
    using Code = models::Expression::Code;
    std::array<Reach, models::Expression::deepest> stack{};
    std::size_t top = 0;
    auto const& steps = expression.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        auto const& step = steps[i];
        if (step.code == Code::number) {
            stack[top++] = {step.number, step.number};
        } else if (step.code == Code::parameter) {
            stack[top++] = of_parameter(step);
        } else if (step.code == Code::metric) {
            stack[top++] = of_metric(step);
        } else if (step.code == Code::negate) {
            stack[top - 1] = {-stack[top - 1].upper, -stack[top - 1].lower};
        } else if (step.code == Code::logical_not) {
            stack[top - 1] = Reach::truth(stack[top - 1].may_be_true(), stack[top - 1].may_be_false());
        } else {
            --top;
            stack[top - 1] = applied(step.code, stack[top - 1], stack[top]);
        }
        at_step(i, stack[top - 1]);
    }
    return stack[0];
}

/// The tree of an expression as JSON, for readers that have no parser (docs/spaces.md, Conditions). A number is a
/// number in SI, true and false are 1 and 0, a name of a choice is a text. {"parameter": NAME} and {"metric": NAME} are
/// columns; the value in SI is that of the column times "scale" (default: 1), and with "end" ("lower", "upper") it is
/// that end of the metric's interval. [OPERATOR, OPERAND, ...] is an operation: + - * / (- also with one operand),
/// < <= > >= == !=, and, or, not. `vocabulary` must be the one that the expression was parsed with.
[[nodiscard]] sim::Json tree_of(models::Expression const& expression, models::Vocabulary const& vocabulary);

}  // namespace pimdse::dse::space
