#include "dse/space/expression_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pimdse::dse::space {
namespace {

/// The proved interval, widened slightly for rounding in sums of bounds; exact numbers are not widened.
Reach proved_reach(models::Estimate const& metric) {
    double const for_rounding = metric.is_exact() ? 0.0 : 1e-9;
    if (std::isnan(metric.value)) return Reach::anywhere();
    return {metric.kinds.lower == models::Bound::proved ? metric.lower - for_rounding * std::abs(metric.lower)
                                                        : -Reach::infinite,
            metric.kinds.upper == models::Bound::proved ? metric.upper + for_rounding * std::abs(metric.upper)
                                                        : Reach::infinite};
}

/// The interval in which a finer result may have the number that a step loads. For METRIC.upper and METRIC.lower only
/// the opposite end of this interval is a bound: a finer upper end lies above the finer estimate, and that above this
/// lower end.
Reach finer_reach(models::Estimate const& metric, models::Expression::Step const& step) {
    auto estimate = proved_reach(metric);
    if (step.end == models::Expression::End::upper) estimate.upper = Reach::infinite;
    if (step.end == models::Expression::End::lower) estimate.lower = -Reach::infinite;
    return {estimate.lower * step.scale, estimate.upper * step.scale};
}

template <class ReachOfParameter>
bool fails(models::Expression const& condition, std::span<models::Estimate const> metrics,
           ReachOfParameter reach_of_parameter) {
    auto const of_metric = [&](models::Expression::Step const& step) { return finer_reach(metrics[step.index], step); };
    return !reach_of(condition, of_metric, reach_of_parameter, [](std::size_t, Reach const&) {}).may_be_true();
}

/// The interval of the number that a step loads, proved or calibrated.
Reach interval_of(models::Estimate const& metric, models::Expression::Step const& step) {
    if (step.end != models::Expression::End::estimate) {
        double const end = models::Expression::number_of(metric, step);
        return std::isnan(end) ? Reach::anywhere() : Reach{end, end};
    }
    if (std::isnan(metric.value)) return Reach::anywhere();
    return {(metric.kinds.lower == models::Bound::none ? -Reach::infinite : metric.lower) * step.scale,
            (metric.kinds.upper == models::Bound::none ? Reach::infinite : metric.upper) * step.scale};
}

bool reads_estimates(models::Expression const& condition, std::size_t from, std::size_t to) {
    auto const& steps = condition.steps();
    return std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(from),
                       steps.begin() + static_cast<std::ptrdiff_t>(to), [](auto const& step) {
                           return step.code == models::Expression::Code::metric &&
                                  step.end == models::Expression::End::estimate;
                       });
}

/// The interval end that is on the other side of the limit.
std::string_view end_beyond(models::Expression const& condition, models::Expression::Comparison const& comparison) {
    bool const left = reads_estimates(condition, comparison.left, comparison.right);
    bool const right = reads_estimates(condition, comparison.right, comparison.step);
    auto const code = condition.steps()[comparison.step].code;
    bool const at_most = code == models::Expression::Code::less || code == models::Expression::Code::less_equal;
    bool const at_least = code == models::Expression::Code::greater || code == models::Expression::Code::greater_equal;
    if (left == right || (!at_most && !at_least)) return "bounds";
    return at_most == left ? "upper bound" : "lower bound";
}

/// The smallest interval around some results. NaN results are ignored; if all are NaN, the interval is unbounded.
Reach hull(std::array<double, 4> const& ends) {
    Reach all{Reach::infinite, -Reach::infinite};
    for (double const end : ends) {
        if (std::isnan(end)) continue;
        all.lower = std::min(all.lower, end);
        all.upper = std::max(all.upper, end);
    }
    return all.lower > all.upper ? Reach::anywhere() : all;
}

/// The product of interval ends. An infinite end stands for finite numbers of any size, so 0 times infinity is 0.
double times(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : a * b; }

Reach product(Reach const& a, Reach const& b) {
    return hull({times(a.lower, b.lower), times(a.lower, b.upper), times(a.upper, b.lower), times(a.upper, b.upper)});
}

Reach quotient(Reach const& a, Reach const& b) {
    if (b.lower == 0.0 && b.upper > 0.0 && a.lower >= 0.0) return {a.lower / b.upper, Reach::infinite};
    if (b.may_be_false()) return Reach::anywhere();
    return hull({a.lower / b.lower, a.lower / b.upper, a.upper / b.lower, a.upper / b.upper});
}

/// An interval from sums of ends; infinite ends of opposite sign make NaN, and that end stays unbounded.
Reach between(double lower, double upper) {
    return {std::isnan(lower) ? -Reach::infinite : lower, std::isnan(upper) ? Reach::infinite : upper};
}

using Code = models::Expression::Code;
using sim::Json;

/// By Expression::Code, the operators of a tree; columns and numbers have none.
constexpr std::array<std::string_view, 17> operators{"",   "",  "",   "+",  "-",  "*",   "/",  "-",  "<",
                                                     "<=", ">", ">=", "==", "!=", "and", "or", "not"};
static_assert(operators.size() == static_cast<std::size_t>(Code::logical_not) + 1);

std::string_view operator_of(Code code) { return operators[static_cast<std::size_t>(code)]; }

struct TreeNode {
    Json tree;
    models::Parameter const* choice = nullptr;  ///< the parameter that the node loads, if its values are names
};

TreeNode column(std::string_view kind, std::string const& name, double scale) {
    TreeNode node{{{kind, name}}};
    if (scale != 1.0) node.tree["scale"] = scale;
    return node;
}

TreeNode parameter_node(models::Parameter const& parameter, double scale) {
    auto node = column("parameter", parameter.name, parameter.kind == models::Kind::integer ? scale : 1.0);
    bool const has_names = parameter.kind == models::Kind::choice || parameter.kind == models::Kind::permutation;
    if (has_names) node.choice = &parameter;
    return node;
}

TreeNode metric_node(models::Metric const& metric, models::Expression::Step const& step) {
    auto node = column("metric", metric.name, step.scale);
    if (step.end != models::Expression::End::estimate)
        node.tree["end"] = step.end == models::Expression::End::upper ? "upper" : "lower";
    return node;
}

/// The operand next to a choice is the index of one of its names in the compiled form.
void name_index(TreeNode& operand, TreeNode const& choice) {
    if (choice.choice != nullptr) operand.tree = choice.choice->choices[operand.tree.get<std::size_t>()];
}

}  // namespace

bool surely_fails(models::Expression const& condition, models::Point point, std::span<models::Estimate const> metrics) {
    return fails(condition, metrics, [&](models::Expression::Step const& step) {
        double const number = models::Expression::number_of(point[step.index], step.scale);
        return Reach{number, number};
    });
}

bool surely_fails(models::Expression const& condition, models::Point min, models::Point max,
                  std::span<models::Estimate const> metrics) {
    return fails(condition, metrics, [&](models::Expression::Step const& step) {
        double const one = models::Expression::number_of(min[step.index], step.scale);
        double const other = models::Expression::number_of(max[step.index], step.scale);
        return Reach{std::min(one, other), std::max(one, other)};
    });
}

std::vector<Crossing> crossings(models::Expression const& condition, models::Point point,
                                std::span<models::Estimate const> metrics, models::Expression::Absent const& absent) {
    auto const truth = condition.truth(point, metrics, absent);
    if (truth == models::Truth::unknown || !condition.uses_metrics()) return {};
    auto const undecided = [](Reach const& reach) { return reach.may_be_false() && reach.may_be_true(); };
    std::vector<Crossing> found;
    auto next = condition.comparisons().begin();
    auto const whole = reach_of(
        condition, [&](models::Expression::Step const& step) { return interval_of(metrics[step.index], step); },
        [&](models::Expression::Step const& step) {
            if (!absent.empty() && absent[step.index]) return Reach::anywhere();
            double const number = models::Expression::number_of(point[step.index], step.scale);
            return Reach{number, number};
        },
        [&](std::size_t at, Reach const& reach) {
            if (next == condition.comparisons().end() || next->step != at) return;
            if (undecided(reach)) found.push_back({next->text, end_beyond(condition, *next)});
            ++next;
        });
    // An unknown comparison is not a crossing. Where one is unknown, the intervals may still decide the whole
    // condition.
    return undecided(whole) ? found : std::vector<Crossing>{};
}

Reach applied(models::Expression::Code code, Reach const& a, Reach const& b) {
    using Code = models::Expression::Code;
    bool const one_number = a.lower == a.upper && b.lower == b.upper && a.lower == b.lower;
    bool const apart = a.upper < b.lower || b.upper < a.lower;
    switch (code) {
        case Code::add:
            return between(a.lower + b.lower, a.upper + b.upper);
        case Code::subtract:
            return between(a.lower - b.upper, a.upper - b.lower);
        case Code::multiply:
            return product(a, b);
        case Code::divide:
            return quotient(a, b);
        case Code::less:
            return Reach::truth(a.upper >= b.lower, a.lower < b.upper);
        case Code::less_equal:
            return Reach::truth(a.upper > b.lower, a.lower <= b.upper);
        case Code::greater:
            return Reach::truth(b.upper >= a.lower, b.lower < a.upper);
        case Code::greater_equal:
            return Reach::truth(b.upper > a.lower, b.lower <= a.upper);
        case Code::equal:
            return Reach::truth(!one_number, !apart);
        case Code::not_equal:
            return Reach::truth(!apart, !one_number);
        case Code::logical_and:
            return Reach::truth(a.may_be_false() || b.may_be_false(), a.may_be_true() && b.may_be_true());
        case Code::logical_or:
            return Reach::truth(a.may_be_false() && b.may_be_false(), a.may_be_true() || b.may_be_true());
        default:
            return Reach::anywhere();
    }
}

Json tree_of(models::Expression const& expression, models::Vocabulary const& vocabulary) {
    std::vector<TreeNode> stack;
    for (auto const& step : expression.steps()) {
        if (step.code == Code::number) {
            stack.push_back({step.number});
        } else if (step.code == Code::parameter) {
            stack.push_back(parameter_node(vocabulary.parameters[step.index], step.scale));
        } else if (step.code == Code::metric) {
            stack.push_back(metric_node(vocabulary.metrics[step.index], step));
        } else if (step.code == Code::negate || step.code == Code::logical_not) {
            stack.back() = {Json::array({operator_of(step.code), std::move(stack.back().tree)})};
        } else {
            auto right = std::move(stack.back());
            stack.pop_back();
            auto& left = stack.back();
            name_index(left, right);
            name_index(right, left);
            left = {Json::array({operator_of(step.code), std::move(left.tree), std::move(right.tree)})};
        }
    }
    return std::move(stack.back().tree);
}

}  // namespace pimdse::dse::space
