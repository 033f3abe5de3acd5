#pragma once

#include "dse/space/expression.hpp"
#include "models/contract/architecture.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::space {

/// True if no metrics within these bounds meet the condition, as far as the bounds are proved: then those of no finer
/// level do. A metric that is NaN here, unknown or without bounds, may be anything. One that turns unknown at a finer
/// level makes nothing true that no value within the bounds makes true (Expression: unknown results never become yes).
[[nodiscard]] bool surely_fails(Expression const& condition, models::Point point,
                                std::span<models::Estimate const> metrics);

/// The same of all points whose numbers lie between those of these two, and whose choices are the same or are not read.
[[nodiscard]] bool surely_fails(Expression const& condition, models::Point min, models::Point max,
                                std::span<models::Estimate const> metrics);

/// A comparison that a metric meets, or misses, by its estimate, and not by its interval.
struct Crossing {
    std::string comparison;  ///< as it was written: "power <= 10 W"
    std::string_view end;    ///< which end of the interval is beyond the limit: "upper bound", "lower bound", "bounds"
};

/// Which comparisons leave a condition undecided that estimates decide: within the intervals of these metrics, proved
/// or calibrated, it may be otherwise. An end behind which nothing stands may be anywhere. Empty where it is unknown
/// anyway.
[[nodiscard]] std::vector<Crossing> crossings(Expression const& condition, models::Point point,
                                              std::span<models::Estimate const> metrics,
                                              Expression::Absent const& absent = {});

/// Where a number lies; true is 1, false 0. Rounding keeps the order of results, so that what is made of ends bounds
/// what is made of the numbers between them.
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

/// The result of `a CODE b` for any numbers of these intervals, by interval arithmetic.
[[nodiscard]] Reach applied(Expression::Code code, Reach const& a, Reach const& b);

/// Where the result of an expression lies. `of_metric(step)` and `of_parameter(step)` say where what a step loads lies,
/// in SI; `at_step(index, reach)` is told the result of every step.
template <class OfMetric, class OfParameter, class AtStep>
[[nodiscard]] Reach reach_of(Expression const& expression, OfMetric of_metric, OfParameter of_parameter,
                             AtStep at_step) {
    using Code = Expression::Code;
    std::array<Reach, Expression::deepest> stack{};
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

}  // namespace pimdse::dse::space
