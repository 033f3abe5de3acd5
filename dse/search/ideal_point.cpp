#include "dse/search/ideal_point.hpp"

#include "dse/space/expression_bounds.hpp"
#include "dse/space/requested_machine.hpp"
#include "dse/space/space.hpp"
#include "sim/base/quantity_text.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::dse::search {
namespace {

struct End {
    double lower = -infinite;
    models::Bound kind = models::Bound::none;
};

/// The better end of the interval, negated for a maximised metric.
End better_end(models::Estimate const& estimate, models::Sense better) {
    return better == models::Sense::maximize ? End{-estimate.upper, estimate.kinds.upper}
                                             : End{estimate.lower, estimate.kinds.lower};
}

/// The range of the finite ideal points in one objective.
struct IdealPointRange {
    double min = infinite, max = -infinite;

    void include(double value) {
        if (!std::isfinite(value)) return;
        min = std::min(min, value);
        max = std::max(max, value);
    }
    /// Monotone in the value, even where rounding makes a difference vanish.
    [[nodiscard]] double share(double value) const {
        if (!std::isfinite(value) || !(max > min)) return std::isinf(value) ? value : 0.0;
        return value / (max - min);
    }
};

std::vector<IdealPointRange> ranges_of(std::span<double const> ideals, std::size_t objectives) {
    std::vector<IdealPointRange> ranges(objectives);
    for (std::size_t i = 0; i < ideals.size(); ++i) ranges[i % objectives].include(ideals[i]);
    return ranges;
}

/// A sum that is monotone in each number of the ideal point.
double sum_of(std::span<double const> ideal, std::span<IdealPointRange const> ranges) {
    double sum = 0.0;
    bool no_bound = false;
    for (std::size_t i = 0; i < ideal.size(); ++i) {
        no_bound = no_bound || ideal[i] == -infinite;
        if (ideal[i] != -infinite) sum += ranges[i].share(ideal[i]);
    }
    return no_bound ? -infinite : sum;
}

bool names_condition_on_metrics(space::Machine const& machine, std::string const& rule) {
    return std::ranges::any_of(machine.constraints, [&](auto const& constraint) {
        return !constraint.parameters_only && constraint.name == rule;
    });
}

/// Whether an objective that does not apply by the analytic result may apply at cycle level.
bool objective_may_apply(space::Space const& space, space::Machine const& machine) {
    auto const may = [&](std::string const& metric) { return machine.scenarios.may_apply_elsewhere(metric); };
    return std::ranges::any_of(space.objectives(), [&](space::Objective const& objective) {
        auto const* formula = space.formula_at(objective.metric);
        if (formula == nullptr) return may(space.metrics()[objective.metric].name);
        return std::ranges::any_of(formula->reads(),
                                   [&](std::size_t read) { return may(space.plain_metrics()[read].name); });
    });
}

/// What is known of a part of a formula at every fidelity.
struct ExactPart {
    bool is_zero = false, not_finite = false;
};

ExactPart part_of(models::Estimate const& metric) {
    return {metric.value == 0.0 && metric.is_exact() && metric.kinds.lower == models::Bound::proved &&
            metric.kinds.upper == models::Bound::proved};
}

ExactPart joined(models::Expression::Code code, ExactPart const& left, ExactPart const& right) {
    using Code = models::Expression::Code;
    bool const is_zero = code == Code::multiply ? left.is_zero || right.is_zero : left.is_zero && right.is_zero;
    return {is_zero, left.not_finite || (code == Code::divide ? right.is_zero : right.not_finite)};
}

/// Whether a formula divides by a part that is exactly 0, so that it has no finite value at any fidelity. `metrics`: in
/// the order for which it is compiled.
bool is_never_finite(space::MetricFormula const& formula, models::Metrics const& metrics) {
    using Code = models::Expression::Code;
    std::vector<ExactPart> stack;
    for (auto const& step : formula.expression().steps()) {
        if (step.code == Code::number) {
            stack.push_back({step.number == 0.0});
        } else if (step.code == Code::metric) {
            stack.push_back(part_of(metrics[step.index]));
        } else if (step.code != Code::negate) {
            auto const right = stack.back();
            stack.pop_back();
            stack.back() = joined(step.code, stack.back(), right);
        }
    }
    return stack.back().not_finite;
}

/// Whether some objective has no finite value at any fidelity, which makes the point infeasible.
bool lacks_objective(space::Space const& space, models::Metrics const& metrics) {
    if (space.formulas().empty()) return false;
    models::Metrics plain;
    for (std::size_t i = 0; i < space.plain_metrics().size(); ++i) plain.push_back(metrics[space.place_of(i)]);
    return std::ranges::any_of(space.formulas(),
                               [&](space::MetricFormula const& formula) { return is_never_finite(formula, plain); });
}

using models::Bound;

/// The proved interval of a cycle-level value; without ends for a metric that a point does not have (NaN).
struct Proved {
    double lower = -infinite, upper = infinite;
    bool exact = false;
};

Proved proved_of(models::Estimate const& estimate) {
    if (std::isnan(estimate.value)) return {};
    bool const lower = estimate.kinds.lower == Bound::proved, upper = estimate.kinds.upper == Bound::proved;
    if (lower && upper && estimate.is_exact()) return {estimate.value, estimate.value, true};
    return {lower ? estimate.lower - for_rounding * std::abs(estimate.lower) : -infinite,
            upper ? estimate.upper + for_rounding * std::abs(estimate.upper) : infinite, false};
}

std::string text_of(models::Metric const& metric, Proved const& proved) {
    auto const end = [&](double value) { return sim::print_quantity(value, metric.unit); };
    return proved.exact ? fmt::format("exactly {} ({})", end(proved.lower), proved.lower)
                        : fmt::format("from {} to {}", end(proved.lower), end(proved.upper));
}

}  // namespace

/// Weak dominance with ties broken by id, see the header.
bool dominates(Values const& a, space::PointId a_id, Values const& x, space::PointId x_id, std::size_t objectives) {
    bool equal = true;
    for (std::size_t i = 0; i < objectives; ++i) {
        if (a[i] > x[i]) return false;
        equal = equal && a[i] == x[i];
    }
    return !equal || a_id < x_id;
}

double widened(double lower, double slack) { return std::isinf(slack) ? -infinite : lower - slack * std::abs(lower); }

Values relaxed(Values ideal, double epsilon, std::size_t objectives) {
    if (epsilon == 0.0) return ideal;
    for (std::size_t i = 0; i < objectives; ++i)
        ideal[i] = ideal[i] < 0.0 ? ideal[i] / (1.0 + epsilon) : ideal[i] * (1.0 + epsilon);
    return ideal;
}

IdealPoint ideal_point_of(models::Metrics const& coarse, std::span<space::Objective const> objectives) {
    IdealPoint ideal;
    for (std::size_t i = 0; i < objectives.size(); ++i) {
        auto const& estimate = coarse[objectives[i].metric];
        auto const end = better_end(estimate, objectives[i].better);
        bool const known = end.kind != models::Bound::none && !std::isnan(end.lower);
        bool const exact = estimate.is_exact() && end.kind == models::Bound::proved;
        ideal.lower[i] = !known                           ? -infinite
                         : exact || std::isinf(end.lower) ? end.lower
                                                          : widened(end.lower, for_rounding);
        if (known && exact) ideal.exact |= static_cast<std::uint8_t>(1U << i);
        if (end.kind == models::Bound::calibrated) ideal.calibrated |= static_cast<std::uint8_t>(1U << i);
    }
    return ideal;
}

IdealPoint unknown_ideal_point() {
    IdealPoint ideal;
    ideal.lower.fill(-infinite);
    return ideal;
}

Values values_of(models::Metrics const& fine, std::span<space::Objective const> objectives) {
    Values values{};
    for (std::size_t i = 0; i < objectives.size(); ++i)
        values[i] = space::minimised(fine[objectives[i].metric].value, objectives[i].better);
    return values;
}

void LowerBounds::add(IdealPoint const& ideal) {
    lower_bounds_.insert(lower_bounds_.end(), ideal.lower.begin(),
                         ideal.lower.begin() + static_cast<std::ptrdiff_t>(objectives_));
    calibrated_.push_back(ideal.calibrated);
    exact_.push_back(ideal.exact);
}

Values LowerBounds::of(Item item) const {
    Values ideal{};
    for (std::size_t i = 0; i < objectives_; ++i) {
        double const lower = given(item, i);
        ideal[i] = is_calibrated(item, i) && slack_[i] > 0.0 ? widened(lower, slack_[i]) : lower;
    }
    return ideal;
}

std::vector<double> LowerBounds::all() const {
    std::vector<double> ideals;
    ideals.reserve(lower_bounds_.size());
    for (Item item = 0; item < calibrated_.size(); ++item) {
        auto const ideal = of(item);
        ideals.insert(ideals.end(), ideal.begin(), ideal.begin() + static_cast<std::ptrdiff_t>(objectives_));
    }
    return ideals;
}

Values LowerBounds::looser(Item item, double share) const {
    auto ideal = of(item);
    for (std::size_t i = 0; i < objectives_; ++i) {
        if ((exact_[item] >> i & 1) == 0) ideal[i] = widened(ideal[i], share);
    }
    return ideal;
}

void LowerBounds::widen(std::size_t objective, double lower, double value) {
    constexpr double more = 1.0 + 1e-12;
    double const needed = (lower - value) / std::abs(lower) * more;
    double& slack = slack_[objective];
    slack = std::max(needed, 2.0 * slack);
    if (!(widened(lower, slack) <= value)) slack = infinite;
}

Ranking::Ranking(std::vector<Item> items, std::span<double const> ideals, std::size_t objectives)
    : order_(std::move(items)) {
    auto const ranges = ranges_of(ideals, objectives);
    auto const ideal = [&](Item item) { return ideals.subspan(item * objectives, objectives); };
    std::vector<double> sums(ideals.size() / objectives);
    for (auto const item : order_) sums[item] = sum_of(ideal(item), ranges);
    std::sort(order_.begin(), order_.end(), [&](Item a, Item b) {
        if (sums[a] != sums[b]) return sums[a] < sums[b];
        auto const x = ideal(a), y = ideal(b);
        auto const [at, other] = std::mismatch(x.begin(), x.end(), y.begin());
        return at == x.end() ? a < b : *at < *other;
    });
    ranks_.resize(sums.size());
    for (std::size_t rank = 0; rank < order_.size(); ++rank) ranks_[order_[rank]] = static_cast<std::uint32_t>(rank);
}

std::optional<Ranking::Item> Ranking::take() {
    return taken_ < order_.size() ? std::optional(order_[taken_++]) : std::nullopt;
}

std::optional<IdealPoint> coarse_ideal_point(space::Space const& space, space::PointId id) {
    std::size_t const at = space.machine_of(id);
    auto const& machine = space.machines()[at];
    auto const point = space.point(id);
    auto outcome = space::evaluate_machine(machine, point, models::Fidelity::analytic);
    if (std::holds_alternative<models::Infeasible>(outcome)) return std::nullopt;
    auto* metrics = std::get_if<models::Metrics>(&outcome);
    if (metrics == nullptr) return search::unknown_ideal_point();
    bool const hopeless = std::ranges::any_of(machine.constraints, [&](auto const& constraint) {
        return !constraint.parameters_only && space::surely_fails(constraint.expression, point, *metrics);
    });
    if (hopeless) return std::nullopt;
    auto const placed = space.placed(at, std::move(*metrics));
    return lacks_objective(space, placed) ? std::nullopt
                                          : std::optional(search::ideal_point_of(placed, space.objectives()));
}

std::optional<IdealPoint> coarse_ideal_point(space::Space const& space, space::Result const& analytic) {
    if (auto const* metrics = std::get_if<models::Metrics>(&analytic.outcome))
        return search::ideal_point_of(*metrics, space.objectives());
    auto const* infeasible = std::get_if<models::Infeasible>(&analytic.outcome);
    if (infeasible == nullptr) return search::unknown_ideal_point();
    auto const& machine = space.machines()[space.machine_of(analytic.task.point)];
    bool const lacks = infeasible->rule == "not_applicable" && objective_may_apply(space, machine);
    if (!lacks && !names_condition_on_metrics(machine, infeasible->rule)) return std::nullopt;
    return coarse_ideal_point(space, analytic.task.point);  // the result of an infeasible point has no metrics
}

std::optional<models::Metrics> coarse_metrics(space::Space const& space, space::PointId id) {
    std::size_t const machine = space.machine_of(id);
    auto const point = space.point(id);
    auto outcome =
        space::evaluate_machine(space.machines()[machine], point, models::Fidelity::analytic, space::StopAt::nothing);
    auto* metrics = std::get_if<models::Metrics>(&outcome);
    if (metrics == nullptr) return std::nullopt;
    return space.placed(machine, std::move(*metrics));
}

std::optional<std::string> difference_of_equal_keys(space::Space const& space, space::PointId a, space::PointId b) {
    auto const left = coarse_metrics(space, a), right = coarse_metrics(space, b);
    if (!left || !right) return std::nullopt;
    for (std::size_t m = 0; m < left->size(); ++m) {
        auto const one = proved_of((*left)[m]), other = proved_of((*right)[m]);
        if (one.lower <= other.upper && other.lower <= one.upper) continue;
        auto const& metric = space.metrics()[m];
        return fmt::format("different {}: by their proved analytic bounds it is {} and {}", metric.name,
                           text_of(metric, one), text_of(metric, other));
    }
    return std::nullopt;
}

}  // namespace pimdse::dse::search
