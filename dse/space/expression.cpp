#include "dse/space/expression.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace pimdse::dse::space {
namespace {

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
        case Code::less:
            return a < b ? 1.0 : 0.0;
        case Code::less_equal:
            return a <= b ? 1.0 : 0.0;
        case Code::greater:
            return a > b ? 1.0 : 0.0;
        case Code::greater_equal:
            return a >= b ? 1.0 : 0.0;
        case Code::equal:
            return a == b ? 1.0 : 0.0;
        case Code::not_equal:
            return a != b ? 1.0 : 0.0;
        case Code::logical_and:
            return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
        case Code::logical_or:
            return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
        default:
            return 0.0;
    }
}

}  // namespace

double Expression::number_of(models::Value const& value, double scale) {
    switch (value.kind()) {
        case models::Kind::integer:
            return static_cast<double>(value.as_integer()) * scale;
        case models::Kind::quantity:
            return value.as_quantity();
        case models::Kind::choice:
            return static_cast<double>(value.as_choice());
        case models::Kind::flag:
            return value.as_flag() ? 1.0 : 0.0;
        case models::Kind::permutation:
            return static_cast<double>(value.as_permutation());
    }
    return 0.0;
}

double Expression::run(models::Point point, std::span<models::Estimate const> metrics, std::size_t from,
                       std::size_t to) const {
    std::array<double, deepest> stack{};
    std::size_t top = 0;
    for (std::size_t i = from; i < to; ++i) {
        Step const& step = parts_.steps[i];
        switch (step.code) {
            case Code::number:
                stack[top++] = step.number;
                break;
            case Code::parameter:
                stack[top++] = number_of(point[step.index], step.scale);
                break;
            case Code::metric:
                stack[top++] = metrics[step.index].value * step.scale;
                break;
            case Code::negate:
                stack[top - 1] = -stack[top - 1];
                break;
            case Code::logical_not:
                stack[top - 1] = stack[top - 1] == 0.0 ? 1.0 : 0.0;
                break;
            default:
                --top;
                stack[top - 1] = applied(step.code, stack[top - 1], stack[top]);
        }
    }
    return stack[0];
}

bool Expression::reads_nan(std::span<models::Estimate const> metrics) const {
    for (auto const& step : parts_.steps) {
        if (step.code == Code::metric && std::isnan(metrics[step.index].value)) return true;
    }
    return false;
}

bool Expression::reads(Code code, std::size_t index) const {
    return std::any_of(parts_.steps.begin(), parts_.steps.end(),
                       [&](Step const& step) { return step.code == code && step.index == index; });
}

bool Expression::holds(models::Point point, std::span<models::Estimate const> metrics) const {
    sim::expects(!parts_.uses_metrics || !metrics.empty(), "a condition on metrics is given metrics");
    return !reads_nan(metrics) && run(point, metrics, 0, parts_.steps.size()) != 0.0;
}

double Expression::slack(models::Point point, std::span<models::Estimate const> metrics) const {
    if (parts_.right_side == 0) return std::numeric_limits<double>::quiet_NaN();
    Code const code = parts_.steps.back().code;
    double const left = run(point, metrics, 0, parts_.right_side);
    double const right = run(point, metrics, parts_.right_side, parts_.steps.size() - 1);
    double const size = std::max(std::abs(right), std::numeric_limits<double>::min());
    if (code == Code::less || code == Code::less_equal) return (right - left) / size;
    if (code == Code::greater || code == Code::greater_equal) return (left - right) / size;
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace pimdse::dse::space
