#include "dse/run/hybrid_level.hpp"

#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <cmath>
#include <limits>

namespace pimdse::dse::run {
namespace {

using models::Bound;
using models::Estimate;
using models::Fidelity;

bool has_bounds(Estimate const& e) { return !std::isnan(e.value) && e.kinds != Bound::none; }

/// The width of the interval over the value; infinite if an end has no bound, or if the value is 0 and the end is not.
double width_of(Estimate const& e) {
    constexpr double unbounded = std::numeric_limits<double>::infinity();
    if (e.kinds.lower == Bound::none || e.kinds.upper == Bound::none) return unbounded;
    if (e.lower == e.upper) return 0.0;
    double const width = (e.upper - e.lower) / std::abs(e.value);
    return std::isnan(width) ? unbounded : width;
}

std::string percent(double share) { return sim::print_number(100.0 * share, 3) + " %"; }

/// "latency is known within 4.1 %"
std::string too_wide(models::Metric const& metric, Estimate const& e, double width) {
    if (std::isfinite(width)) return fmt::format("{} is known within {} only", metric.name, percent(width));
    if (e.kinds.lower == Bound::none) return metric.name + " has no lower bound";
    if (e.kinds.upper == Bound::none) return metric.name + " has no upper bound";
    return fmt::format("{} is known to be from {} to {} only", metric.name, sim::print_quantity(e.lower, metric.unit),
                       sim::print_quantity(e.upper, metric.unit));
}

}  // namespace

HybridLevel hybrid_level(models::MetricList const& metrics, models::Outcome const& closed_form, double tolerance,
                         std::span<std::size_t const> counted) {
    if (std::holds_alternative<models::Infeasible>(closed_form))
        return {Fidelity::analytic, "closed form: it rules the point out", "", 0.0, true};
    auto const* values = std::get_if<models::Metrics>(&closed_form);
    if (values == nullptr) return {Fidelity::cycle, "simulated: the closed form fails", "", 0.0, true};
    HybridLevel level;
    std::size_t widest = metrics.size();
    auto const count = [&](std::size_t i) {
        auto const& e = (*values)[i];
        if (!has_bounds(e)) return;
        double const width = width_of(e);
        level.proved &= width == 0.0 || (e.kinds.lower == Bound::proved && e.kinds.upper == Bound::proved);
        if (widest < metrics.size() && width <= level.widest) return;
        widest = i;
        level.widest = width;
    };
    for (auto const i : counted) count(i);
    for (std::size_t i = 0; counted.empty() && i < metrics.size(); ++i) count(i);
    if (widest == metrics.size()) {
        level.fidelity = Fidelity::cycle;
        level.why = "simulated: the closed form has no bounds";
        return level;
    }
    level.metric = metrics[widest].name;
    if (level.widest <= tolerance) {
        level.why = level.widest == 0.0 ? "closed form: it is exact"
                                        : fmt::format("closed form: its intervals are within {} ({})",
                                                      percent(level.widest), level.proved ? "proved" : "calibrated");
        return level;
    }
    level.fidelity = Fidelity::cycle;
    level.why = "simulated: " + too_wide(metrics[widest], (*values)[widest], level.widest);
    return level;
}

}  // namespace pimdse::dse::run
