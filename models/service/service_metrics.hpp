#pragma once

#include "models/contract/metric.hpp"
#include "models/contract/outcome.hpp"
#include "models/contract/request_result.hpp"
#include "sim/serving/max_rate.hpp"
#include "sim/serving/summary.hpp"

#include <limits>
#include <optional>
#include <string_view>

namespace pimdse::models::service {

/// The metrics of a machine that serves traffic, common to all architectures (docs/traffic.md).
[[nodiscard]] MetricList service_metrics();

/// What common metrics of a service follow from: those of its machines without a request, the largest mean power of a
/// step in all engines at once [W], and the cost of a million tokens of requests that met the limits [USD]. The metrics
/// that a machine has of its own are those of one batch, and do not apply.
[[nodiscard]] RequestResult result_of_service(RequestResult const& machine, double copies, Estimate const& watts,
                                              Estimate const& cost);

/// Whether an architecture's metric of this name applies to a machine that serves traffic, too.
[[nodiscard]] bool applies_to_services(std::string_view metric);

/// Whether it depends on the schedule that a metric of this name applies: it does if some request meets the limits,
/// which requests may do at one fidelity and not at another.
[[nodiscard]] bool applies_by_schedule(std::string_view metric);

/// Figures that do not follow from the schedule of a load.
struct OtherFigures {
    std::optional<sim::serving::LargestRate> max_rate{};  ///< empty if the load has no rate, or nobody asks
    double carbon_per_good_token = std::numeric_limits<double>::quiet_NaN();  ///< kg; NaN without such tokens
};

/// Their values, in declared order. Values are exact; those of requests that do not exist (ttft if nothing was served)
/// do not apply.
[[nodiscard]] Metrics metrics_of(sim::serving::ServiceSummary const& summary, OtherFigures const& others);

/// Replaces the intervals of values that were computed from closed forms: an end is proved where `alone` bounds it, the
/// figures of requests of which each is served alone by a machine of which a step takes its lower bound; the other ends
/// are unknown, and all of them if there are no such bounds (nullptr).
void set_intervals(Metrics& values, sim::serving::ServiceSummary const* alone);

/// Intervals of times and rates of a machine measured to be within this factor of what is computed; queues may add
/// more. The other metrics have none, and `rejected` is exact. `arriving`: the share of the makespan in which requests
/// arrive, which no machine shortens.
void set_spread(Metrics& values, double factor, double arriving);

}  // namespace pimdse::models::service
