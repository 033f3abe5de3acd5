#include "dse/search/ideal_point.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::dse::search {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

struct End {
    double lower = nothing;
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

double widened(double lower, double slack) { return std::isinf(slack) ? nothing : lower - slack * std::abs(lower); }

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
        ideal.lower[i] = !known                           ? nothing
                         : exact || std::isinf(end.lower) ? end.lower
                                                          : widened(end.lower, for_rounding);
        if (known && exact) ideal.exact |= static_cast<std::uint8_t>(1U << i);
        if (end.kind == models::Bound::calibrated) ideal.calibrated |= static_cast<std::uint8_t>(1U << i);
    }
    return ideal;
}

IdealPoint unknown_ideal_point() {
    IdealPoint ideal;
    ideal.lower.fill(nothing);
    return ideal;
}

Values values_of(models::Metrics const& fine, std::span<space::Objective const> objectives) {
    Values values{};
    for (std::size_t i = 0; i < objectives.size(); ++i) {
        double const value = fine[objectives[i].metric].value;
        values[i] = objectives[i].better == models::Sense::maximize ? -value : value;
    }
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
    if (!(widened(lower, slack) <= value)) slack = std::numeric_limits<double>::infinity();
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

}  // namespace pimdse::dse::search
