#pragma once

#include "dse/space/result.hpp"
#include "dse/space/space.hpp"
#include "models/contract/fidelity.hpp"
#include "models/contract/metric.hpp"
#include "models/contract/outcome.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace pimdse::dse::space {

/// Evaluates one task: checks the constraints on parameters, calls the architecture, checks the constraints on metrics
/// and that all objectives are finite. Does not throw because of a point; a bug of the model is returned as a Defect.
/// Thread-safe; pure except for `seconds`.
[[nodiscard]] space::Result evaluate(space::Space const& space, space::Task task);

/// The outcome of a point of one machine of the space; the point need not be in the space (verb `evaluate`).
[[nodiscard]] models::Outcome outcome_of(space::Space const& space, std::size_t machine, models::Point point,
                                         models::Fidelity fidelity);

/// The same with other constants: `machine` is the space's machine at this position in all else.
[[nodiscard]] models::Outcome outcome_of(space::Space const& space, std::size_t at, space::Machine const& machine,
                                         models::Point point, models::Fidelity fidelity);

/// Evaluates tasks on `threads` threads and returns the results in task order. Meant for few tasks, whose results are
/// not stored.
[[nodiscard]] std::vector<space::Result> results_of(space::Space const& space, std::vector<space::Task> const& tasks,
                                                    int threads);

/// The same for points of a machine, which need not be in a space; constraints on metrics are not checked.
[[nodiscard]] std::vector<models::Outcome> outcomes_of(space::Machine const& machine,
                                                       std::vector<std::vector<models::Value>> const& points,
                                                       models::Fidelity fidelity, int threads);

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

}  // namespace pimdse::dse::space
