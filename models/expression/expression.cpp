#include "models/expression/expression.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace pimdse::models {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

bool compared(Expression::Code code, double a, double b) {
    using Code = Expression::Code;
    switch (code) {
        case Code::less:
            return a < b;
        case Code::less_equal:
            return a <= b;
        case Code::greater:
            return a > b;
        case Code::greater_equal:
            return a >= b;
        case Code::equal:
            return a == b;
        default:
            return a != b;
    }
}

/// `and` (deciding value 0) and `or` (deciding value 1) of truth values 1, 0 and unknown (NaN).
double joined(double a, double b, double deciding) {
    if (a == deciding || b == deciding) return deciding;
    return std::isnan(a) || std::isnan(b) ? unknown : 1.0 - deciding;
}

double applied(Expression::Code code, double a, double b) {
    using Code = Expression::Code;
    switch (code) {
        case Code::add:
            return a + b;
        case Code::subtract:
            return a - b;
        case Code::multiply:
            return a * b;
        case Code::divide:
            return a / b;
        case Code::logical_and:
            return joined(a, b, 0.0);
        case Code::logical_or:
            return joined(a, b, 1.0);
        case Code::minimum:
            return std::isnan(a) || std::isnan(b) ? unknown : std::min(a, b);
        case Code::maximum:
            return std::isnan(a) || std::isnan(b) ? unknown : std::max(a, b);
        default:
            return std::isnan(a) || std::isnan(b) ? unknown : compared(code, a, b) ? 1.0 : 0.0;
    }
}

}  // namespace

double Expression::number_of(Value const& value, double scale) {
    switch (value.kind()) {
        case Kind::integer:
            return static_cast<double>(value.as_integer()) * scale;
        case Kind::quantity:
            return value.as_quantity();
        case Kind::choice:
            return static_cast<double>(value.as_choice());
        case Kind::flag:
            return value.as_flag() ? 1.0 : 0.0;
        case Kind::permutation:
            return static_cast<double>(value.as_permutation());
    }
    return 0.0;
}

double Expression::number_of(Estimate const& metric, Step const& step) {
    if (step.end == End::estimate || std::isnan(metric.value)) return metric.value * step.scale;
    bool const upper = step.end == End::upper;
    auto const kind = upper ? metric.kinds.upper : metric.kinds.lower;
    return kind == Bound::none ? unknown : (upper ? metric.upper : metric.lower) * step.scale;
}

double Expression::run(Operands const& operands, std::size_t from, std::size_t to) const {
    auto const& [point, metrics, absent, numbers] = operands;
    std::array<double, deepest> stack;
    std::size_t top = 0;
    for (std::size_t i = from; i < to; ++i) {
        Step const& step = parts_.steps[i];
        switch (step.code) {
            case Code::number:
                stack[top++] = step.number;
                break;
            case Code::parameter:
                stack[top++] =
                    !absent.empty() && absent[step.index] ? unknown : number_of(point[step.index], step.scale);
                break;
            case Code::metric:
                stack[top++] = number_of(metrics[step.index], step);
                break;
            case Code::named:
                stack[top++] = numbers[step.index];
                break;
            case Code::negate:
                stack[top - 1] = -stack[top - 1];
                break;
            case Code::logical_not:
                stack[top - 1] = 1.0 - stack[top - 1];
                break;
            case Code::ceiling:
                stack[top - 1] = std::ceil(stack[top - 1]);
                break;
            case Code::floor:
                stack[top - 1] = std::floor(stack[top - 1]);
                break;
            case Code::select:
                top -= 2;
                if (std::isnan(stack[top - 1]))
                    stack[top - 1] = unknown;
                else
                    stack[top - 1] = stack[top - 1] != 0.0 ? stack[top] : stack[top + 1];
                break;
            default:
                --top;
                stack[top - 1] = applied(step.code, stack[top - 1], stack[top]);
        }
    }
    return stack[0];
}

bool Expression::reads(Code code, std::size_t index) const {
    return std::any_of(parts_.steps.begin(), parts_.steps.end(),
                       [&](Step const& step) { return step.code == code && step.index == index; });
}

Truth Expression::truth(Point point, std::span<Estimate const> metrics, Absent const& absent,
                        std::span<double const> numbers) const {
    sim::expects(!parts_.uses_metrics || !metrics.empty(), "metrics are passed to a condition on metrics");
    double const result = run({point, metrics, absent, numbers}, 0, parts_.steps.size());
    if (std::isnan(result)) return Truth::unknown;
    return result != 0.0 ? Truth::yes : Truth::no;
}

double Expression::number(Point point, std::span<Estimate const> metrics, std::span<double const> numbers) const {
    Absent const none;
    return run({point, metrics, none, numbers}, 0, parts_.steps.size());
}

double Expression::slack(Point point, std::span<Estimate const> metrics) const {
    if (parts_.right_side == 0) return std::numeric_limits<double>::quiet_NaN();
    Code const code = parts_.steps.back().code;
    Absent const none;
    Operands const operands{point, metrics, none};
    double const left = run(operands, 0, parts_.right_side);
    double const right = run(operands, parts_.right_side, parts_.steps.size() - 1);
    double const size = std::max(std::abs(right), std::numeric_limits<double>::min());
    if (code == Code::less || code == Code::less_equal) return (right - left) / size;
    if (code == Code::greater || code == Code::greater_equal) return (left - right) / size;
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace pimdse::models
