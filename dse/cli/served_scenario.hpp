#pragma once

#include "dse/cli/point_request.hpp"
#include "models/service/service.hpp"
#include "sim/base/json.hpp"
#include "sim/serving/activity.hpp"
#include "sim/serving/summary.hpp"
#include "sim/serving/timeline.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// A change of a parameter of the scheduler, and the requests that are good with it.
struct SchedulerChange {
    std::string parameter, before, after;
    std::int64_t good = 0;
};

/// The same requests with their arrivals scaled in time.
struct ServedAtRate {
    double factor = 1.0;         ///< times the rate of the traffic
    std::optional<double> rate;  ///< 1/s: (requests - 1) / (last - first arrival)
    sim::serving::ServiceSummary summary;
};

/// max_rate of the same traffic drawn with several seeds, its own among them.
struct SeedRange {
    double lower = 0.0, upper = 0.0;  ///< 1/s
    std::int64_t seeds = 0;
};

/// A scenario with traffic, served by a point.
struct ServedScenario {
    std::string name;
    models::service::Traffic const* traffic = nullptr;
    models::service::Served served;
    std::vector<sim::serving::EngineActivity> activities;
    sim::serving::RequestFigures figures;
    std::optional<double> rate;  ///< of the arrivals, 1/s; none in a closed loop or if all arrive at once
    std::optional<sim::serving::LargestRate> largest;  ///< as the metrics max_rate and sustained_rate
    std::optional<SeedRange> of_seeds;                 ///< of drawn traffic
    std::optional<SchedulerChange> best_change;        ///< the one that makes most requests good, if limits are missed
    std::vector<ServedAtRate> at_rates;
};

/// The scenarios with traffic of a feasible point with these metrics, each served again with an observer. `factors`:
/// rates at which the requests are served, too, as multiples of their own. Throws UsageError for a factor of a closed
/// loop.
[[nodiscard]] std::vector<ServedScenario> served_scenarios(PointRequest const& requested,
                                                           models::Metrics const& metrics,
                                                           std::vector<double> const& factors);

/// The parts of the point's time from the first arrival to the last token.
[[nodiscard]] std::vector<sim::serving::TimelineInterval> timeline_of(ServedScenario const& scenario,
                                                                      std::int64_t intervals);

/// Limits and times of a scenario as a table, then counts, rates, whether it is saturated, a hint, and a timeline of 20
/// lines in ASCII. `width`: columns of the screen; 0: unlimited.
[[nodiscard]] std::string service_text(ServedScenario const& scenario, std::size_t width);

/// The same as data, in SI: times with their percentiles 1 to 100, and a timeline of 200 intervals.
[[nodiscard]] sim::Json service_json(ServedScenario const& scenario);

}  // namespace pimdse::dse::cli
