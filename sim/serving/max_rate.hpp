#pragma once

#include "sim/serving/scheduler.hpp"
#include "sim/serving/summary.hpp"

#include <functional>
#include <optional>

namespace pimdse::sim::serving {

/// Requests per second of a load: those that arrive after 0 s over the time of the last one, where a request that
/// arrives at 0 begins the first gap. nullopt if all arrive at the same time, for a single one, and if users wait.
[[nodiscard]] std::optional<double> rate_of(ServiceLoad const& load);

/// What a machine does with a load: schedule() or schedule_in_turn() with its settings and law. It may give up or not.
using Serve = std::function<Schedule(ServiceLoad const&, GiveUp const*)>;

/// A rate in requests per second, and the rate at which the requests are served then, over the time until the last one
/// is complete. The second is far below the first if the requests arrive in less time than it takes to serve them: then
/// the load is too short to tell what a service would sustain.
struct LargestRate {
    double rate = 0.0;
    double served = 0.0;
};

/// The highest rate in requests per second at which at least `share` of the requests are good, if the arrivals of the
/// load are scaled in time and its lengths stay: a rate at which they are, while they are not at a rate that is at most
/// 1 % higher. 0 if they are not even when every request is served alone, or at 2^-24 of the load's own rate (requests
/// that arrive at the same time are never alone). If they are at 2^24 times its rate, when all arrive nearly at once,
/// the load is too short to find a limit; then it is the rate at which those requests are served. The share need not
/// fall steadily with the rate (a request may meet its limit by luck of the steps), so a higher rate beyond that may
/// meet it again. nullopt for a closed loop and for requests that all arrive at the same time, which have no rate. A
/// rate is that of rate_of().
[[nodiscard]] std::optional<LargestRate> max_rate(ServiceLoad const& load, Serve const& serve,
                                                  ServiceObjectives const& objectives, double share);

}  // namespace pimdse::sim::serving
