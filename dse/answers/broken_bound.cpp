#include "dse/answers/broken_bound.hpp"

#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <cmath>

namespace pimdse::dse::answers {
namespace {

using Row = ResultStore::Row;

/// The end that the value is beyond, if that end is proved.
std::optional<double> broken_end(models::Estimate const& coarse, double value) {
    constexpr double for_rounding = 1e-9;
    if (std::isnan(value) || std::isnan(coarse.value)) return std::nullopt;
    double const share = coarse.is_exact() ? 0.0 : for_rounding;
    if (coarse.kinds.low == models::Bound::proved && value < coarse.low - share * std::abs(coarse.low))
        return coarse.low;
    if (coarse.kinds.high == models::Bound::proved && value > coarse.high + share * std::abs(coarse.high))
        return coarse.high;
    return std::nullopt;
}

std::optional<BoundViolation> broken_in(ResultStore const& fine, Row row, ResultStore const& coarse, Row bounds,
                                        std::size_t metrics) {
    for (std::size_t m = 0; m < metrics; ++m) {
        double const value = fine.value(row, m);
        if (auto const end = broken_end(coarse.estimate(bounds, m), value))
            return BoundViolation{fine.task(row).point, m, value, *end};
    }
    return std::nullopt;
}

}  // namespace

std::optional<BoundViolation> first_broken_bound(ResultStore const& fine, ResultStore const& coarse,
                                                 std::size_t metrics) {
    std::optional<BoundViolation> first;
    if (fine.finest() != models::Fidelity::cycle) return first;
    for (Row row = 0; row < fine.size(); ++row) {
        auto const task = fine.task(row);
        if (task.fidelity != models::Fidelity::cycle || fine.status(row) != Status::ok) continue;
        if (first && first->point < task.point) continue;
        auto const bounds = coarse.find({task.point, models::Fidelity::analytic});
        if (!bounds || coarse.status(*bounds) != Status::ok) continue;
        if (auto const broken = broken_in(fine, row, coarse, *bounds, metrics)) first = broken;
    }
    return first;
}

std::string text_of(BoundViolation const& broken, models::MetricList const& metrics) {
    auto const& metric = metrics[broken.metric];
    auto const shown = [&](double value) {
        return fmt::format("{} ({})", sim::print_quantity(value, metric.unit), value);
    };
    return fmt::format(
        "point {}: {} is {} at cycle level, outside its analytic bound {}, which is said to be proved (a bug of the "
        "model)",
        index_of(broken.point), metric.name, shown(broken.value), shown(broken.bound));
}

}  // namespace pimdse::dse::answers
