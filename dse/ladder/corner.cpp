#include "dse/ladder/corner.hpp"

#include <cmath>
#include <limits>

namespace pimdse::dse::ladder {
namespace {

constexpr double for_rounding = 1e-9;
constexpr double nothing = -std::numeric_limits<double>::infinity();

struct End {
    double low = nothing;
    models::Bound kind = models::Bound::none;
};

/// The end that matters, mirrored where more is better.
End better_end(models::Estimate const& estimate, models::Sense better) {
    return better == models::Sense::maximize ? End{-estimate.high, estimate.kinds.high}
                                             : End{estimate.low, estimate.kinds.low};
}

}  // namespace

/// As good everywhere; equal everywhere, only with the smaller id.
bool covers(Values const& a, task::PointId a_id, Values const& x, task::PointId x_id, std::size_t objectives) {
    bool equal = true;
    for (std::size_t i = 0; i < objectives; ++i) {
        if (a[i] > x[i]) return false;
        equal = equal && a[i] == x[i];
    }
    return !equal || a_id < x_id;
}

double widened(double low, double slack) { return std::isinf(slack) ? nothing : low - slack * std::abs(low); }

Values relaxed(Values corner, double epsilon, std::size_t objectives) {
    if (epsilon == 0.0) return corner;
    for (std::size_t i = 0; i < objectives; ++i)
        corner[i] = corner[i] < 0.0 ? corner[i] / (1.0 + epsilon) : corner[i] * (1.0 + epsilon);
    return corner;
}

Corner corner_of(models::Metrics const& coarse, std::span<task::Objective const> objectives) {
    Corner corner;
    for (std::size_t i = 0; i < objectives.size(); ++i) {
        auto const& estimate = coarse[objectives[i].metric];
        auto const end = better_end(estimate, objectives[i].better);
        bool const known = end.kind != models::Bound::none && !std::isnan(end.low);
        bool const exact = estimate.is_exact() && end.kind == models::Bound::proved;
        corner.low[i] = !known ? nothing : exact || std::isinf(end.low) ? end.low : widened(end.low, for_rounding);
        if (known && exact) corner.exact |= static_cast<std::uint8_t>(1U << i);
        if (end.kind == models::Bound::calibrated) corner.calibrated |= static_cast<std::uint8_t>(1U << i);
    }
    return corner;
}

Corner unknown_corner() {
    Corner corner;
    corner.low.fill(nothing);
    return corner;
}

Values values_of(models::Metrics const& fine, std::span<task::Objective const> objectives) {
    Values values{};
    for (std::size_t i = 0; i < objectives.size(); ++i) {
        double const value = fine[objectives[i].metric].value;
        values[i] = objectives[i].better == models::Sense::maximize ? -value : value;
    }
    return values;
}

}  // namespace pimdse::dse::ladder
