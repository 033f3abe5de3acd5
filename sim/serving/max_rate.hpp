#pragma once

#include "sim/serving/scheduler.hpp"
#include "sim/serving/summary.hpp"

#include <functional>
#include <limits>
#include <optional>

namespace pimdse::sim::serving {

/// Serves a load: schedule() or schedule_in_turn() with settings and law of a machine; GiveUp may be nullptr.
using Serve = std::function<Schedule(ServiceLoad const&, GiveUp const*)>;

/// Requests per second that equal engines serve as long as more of them wait than they admit: the load is repeated and
/// arrives at once, and what is served is counted from the time when as many are complete as are in service at once, up
/// to the last admission, of requests in service the part of their time. If more arrive, the queue grows for as long as
/// they do. Infinite if requests take no time or all are rejected. Turns of sessions arrive at once, too, and the rate
/// is that of sessions (rate_of).
/// `enough`: a rate above which the exact value does not matter: the load is not repeated further once it was served,
/// from the first request to the last, at this rate.
[[nodiscard]] double ceiling(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law,
                             std::int64_t engines, double enough = std::numeric_limits<double>::infinity());

/// Whether a schedule alone shows that its engines keep up with the rate of a load: at a time in its second half, up to
/// which requests had arrived at the rate of the whole load, all of them were complete. Sessions still begin then:
/// turns that trickle in behind the last of them show nothing.
[[nodiscard]] bool keeps_up(ServiceLoad const& load, Schedule const& schedule);

/// A rate in requests per second, and the rate at which the requests are served then, over the time until the last one
/// is complete. The second is clearly below the first if even the repeated load is too short to tell what lasts.
struct LargestRate {
    double rate = 0.0;
    double served = 0.0;
    double rest = 0.0;         ///< time from the last arrival to the last token, over the time before it
    std::int64_t repeats = 1;  ///< of the load with which these were found
    bool at_ceiling = false;   ///< the limits are met up to the rate that the engines serve at most

    /// Whether the load is long enough that the time after its last arrival hardly matters.
    [[nodiscard]] bool lasts() const { return rest <= short_rest; }
    static constexpr double short_rest = 0.1;
};

/// The highest rate in requests per second, at most `ceiling` (above 0), at which at least `share` of the requests are
/// good, if the arrivals of the load are scaled in time and its lengths stay: a rate at which they are, while they are
/// not at a rate that is at most 1 % higher, or the ceiling. A load whose last requests are complete long after the
/// last arrival is repeated until that time is a tenth, but not without end (LargestRate::lasts). 0 if they are not
/// good even when every request is served alone, or at 2^-24 of the load's own rate (requests that arrive at the same
/// time are never alone). The share need not fall steadily with the rate (a request may meet its limit by luck of the
/// steps), so a higher rate beyond that may meet it again. nullopt for a closed loop and for requests that all arrive
/// at the same time, which have no rate. A rate is that of rate_of().
[[nodiscard]] std::optional<LargestRate> max_rate(ServiceLoad const& load, Serve const& serve,
                                                  ServiceObjectives const& objectives, double share, double ceiling);

}  // namespace pimdse::sim::serving
