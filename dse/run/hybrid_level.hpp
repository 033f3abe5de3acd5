#pragma once

#include "models/contract/fidelity.hpp"
#include "models/contract/metric.hpp"
#include "models/contract/outcome.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace pimdse::dse::run {

/// What `evaluate --fidelity hybrid` may still not know of a point that it does not simulate.
inline constexpr double usual_tolerance = 0.01;

/// The level at which `evaluate --fidelity hybrid` evaluates a point, and why.
struct HybridLevel {
    models::Fidelity fidelity = models::Fidelity::analytic;
    std::string why;      ///< "closed form: its intervals are within 0.3 % (proved)"
    std::string metric;   ///< the metric with the widest interval; "" if none has an interval
    double widest = 0.0;  ///< its width over its value; infinite if an end has no bound or the value is 0
    bool proved = true;   ///< whether the intervals that count are all proved; else some are calibrated
};

/// The level of a point with this result in closed form: analytic if the interval of each of these metrics is at most
/// `tolerance` of its value wide, so that the cycle-level value differs by no more, else cycle. A metric without bounds
/// does not count. An infeasible point is not simulated; one that failed is. `counted`: the metrics that count, by
/// their position in `metrics`; all if empty.
[[nodiscard]] HybridLevel hybrid_level(models::MetricList const& metrics, models::Outcome const& closed_form,
                                       double tolerance, std::span<std::size_t const> counted = {});

}  // namespace pimdse::dse::run
