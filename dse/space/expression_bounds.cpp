#include "dse/space/expression_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace pimdse::dse::space {
namespace {

/// Where a number lies; true is 1, false 0. Rounding keeps the order of results, so that what is made of ends bounds
/// what is made of the numbers between them.
struct Reach {
    double low = 0.0, high = 0.0;

    [[nodiscard]] bool may_be_false() const { return low <= 0.0 && high >= 0.0; }
    [[nodiscard]] bool may_be_true() const { return low != 0.0 || high != 0.0; }
};
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr Reach anywhere{-infinite, infinite};

Reach truth(bool may_be_false, bool may_be_true) { return {may_be_false ? 0.0 : 1.0, may_be_true ? 1.0 : 0.0}; }

/// The hull of some results; no number among them: anywhere.
Reach hull(std::array<double, 4> const& ends) {
    if (std::ranges::any_of(ends, [](double end) { return std::isnan(end); })) return anywhere;
    return {*std::ranges::min_element(ends), *std::ranges::max_element(ends)};
}

Reach product(Reach const& a, Reach const& b) {
    return hull({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
}

Reach quotient(Reach const& a, Reach const& b) {
    if (b.may_be_false()) return anywhere;
    return hull({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
}

Reach applied(Expression::Code code, Reach const& a, Reach const& b) {
    using Code = Expression::Code;
    bool const one_number = a.low == a.high && b.low == b.high && a.low == b.low;
    bool const apart = a.high < b.low || b.high < a.low;
    switch (code) {
        case Code::add:
            return hull({a.low + b.low, a.high + b.high, a.low + b.low, a.high + b.high});
        case Code::subtract:
            return hull({a.low - b.high, a.high - b.low, a.low - b.high, a.high - b.low});
        case Code::multiply:
            return product(a, b);
        case Code::divide:
            return quotient(a, b);
        case Code::less:
            return truth(a.high >= b.low, a.low < b.high);
        case Code::less_equal:
            return truth(a.high > b.low, a.low <= b.high);
        case Code::greater:
            return truth(b.high >= a.low, b.low < a.high);
        case Code::greater_equal:
            return truth(b.high > a.low, b.low <= a.high);
        case Code::equal:
            return truth(!one_number, !apart);
        case Code::not_equal:
            return truth(!apart, !one_number);
        case Code::logical_and:
            return truth(a.may_be_false() || b.may_be_false(), a.may_be_true() && b.may_be_true());
        case Code::logical_or:
            return truth(a.may_be_false() && b.may_be_false(), a.may_be_true() || b.may_be_true());
        default:
            return anywhere;
    }
}

/// A little wider than proved, for what rounding does to sums of bounds; exact numbers are what they are.
Reach reach_of(models::Estimate const& metric) {
    double const for_rounding = metric.is_exact() ? 0.0 : 1e-9;
    if (std::isnan(metric.value)) return anywhere;
    return {metric.kinds.low == models::Bound::proved ? metric.low - for_rounding * std::abs(metric.low) : -infinite,
            metric.kinds.high == models::Bound::proved ? metric.high + for_rounding * std::abs(metric.high) : infinite};
}

template <class ReachOfParameter>
bool fails(Expression const& condition, std::span<models::Estimate const> metrics,
           ReachOfParameter reach_of_parameter) {
    using Code = Expression::Code;
    std::array<Reach, Expression::deepest> stack{};
    std::size_t top = 0;
    for (auto const& step : condition.steps()) {
        if (step.code == Code::number) {
            stack[top++] = {step.number, step.number};
        } else if (step.code == Code::parameter) {
            stack[top++] = reach_of_parameter(step);
        } else if (step.code == Code::metric) {
            auto const reach = reach_of(metrics[step.index]);
            stack[top++] = {reach.low * step.scale, reach.high * step.scale};
        } else if (step.code == Code::negate) {
            stack[top - 1] = {-stack[top - 1].high, -stack[top - 1].low};
        } else if (step.code == Code::logical_not) {
            stack[top - 1] = truth(stack[top - 1].may_be_true(), stack[top - 1].may_be_false());
        } else {
            --top;
            stack[top - 1] = applied(step.code, stack[top - 1], stack[top]);
        }
    }
    return !stack[0].may_be_true();
}

}  // namespace

bool surely_fails(Expression const& condition, models::Point point, std::span<models::Estimate const> metrics) {
    return fails(condition, metrics, [&](Expression::Step const& step) {
        double const number = Expression::number_of(point[step.index], step.scale);
        return Reach{number, number};
    });
}

bool surely_fails(Expression const& condition, models::Point least, models::Point most,
                  std::span<models::Estimate const> metrics) {
    return fails(condition, metrics, [&](Expression::Step const& step) {
        double const one = Expression::number_of(least[step.index], step.scale);
        double const other = Expression::number_of(most[step.index], step.scale);
        return Reach{std::min(one, other), std::max(one, other)};
    });
}

}  // namespace pimdse::dse::space
