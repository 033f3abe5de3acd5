#pragma once

#include "sim/serving/scheduler.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::sim::serving {

/// The nearest-rank percentile: the smallest value that at least `percent` % of the values do not exceed. `sorted`
/// ascends and is not empty; percent is 1 to 100.
[[nodiscard]] double nearest_rank(std::span<double const> sorted, std::int64_t percent);

/// A quantity over requests.
struct Spread {
    double mean = 0.0, p50 = 0.0, p90 = 0.0, p99 = 0.0;  ///< by nearest rank
};

/// Requests at the beginning of a closed loop whose times are not those of its users' later ones: the first of each
/// user, since all of them come at once. 0 if each user has fewer than two requests on average, and in an open loop.
[[nodiscard]] std::int64_t warm_up_of(ServiceLoad const& load);

/// What users and the owner of a machine see of a load. Times in s, and shares, are those after the warm-up; rates and
/// counts are over all requests and `makespan`.
struct ServiceSummary {
    std::int64_t requests = 0, served = 0, rejected = 0, good = 0, preemptions = 0;
    double makespan = 0.0;                         ///< from the first arrival to the last token
    double goodput = 0.0;                          ///< good requests per second
    double good_share = 0.0;                       ///< of the requests after the warm-up; a rejected one is not good
    double request_rate = 0.0, output_rate = 0.0;  ///< served requests, and their tokens, per second
    std::optional<Spread> ttft;                    ///< first token - arrival; none if nothing was served
    std::optional<Spread> tpot;   ///< (last - first token) / (output - 1); none if every request has one token
    std::optional<Spread> e2e;    ///< last token - arrival
    std::optional<Spread> queue;  ///< start of the first step - arrival
    double kv_peak = 0.0;         ///< share of the blocks of the cache
    double energy = 0.0;          ///< J, in steps and idle
    double mean_power = 0.0;      ///< W
    std::optional<double> energy_per_good_token;  ///< all energy over the output tokens of good requests; none without
    double reused_share = 0.0;                    ///< of the positions of prompts, those that the cache already had
    double fetched_share = 0.0;                   ///< of the positions of prompts, those that came from the tier
    double tier_bytes = 0.0;                      ///< B over the link of the tier, both ways
    std::int64_t evictions = 0;                   ///< of units of beginnings of prompts
    std::int64_t warm_up = 0;                     ///< requests of which times and shares say nothing
    /// More requests arrive than the engines serve at most (max_rate.hpp), so that times describe the length of the
    /// load. Set by whom the engines are known to; never so in a closed loop.
    bool saturated = false;
};

/// `idle_watts` is what one engine draws between steps.
[[nodiscard]] ServiceSummary summarise(ServiceLoad const& load, SchedulerSettings const& settings,
                                       Schedule const& schedule, ServiceObjectives const& objectives,
                                       double idle_watts);

/// ServiceSummary::good_share alone.
[[nodiscard]] double good_share(ServiceLoad const& load, Schedule const& schedule, ServiceObjectives const& objectives);

/// Times to the first token of the same turn of all sessions.
struct TurnTtft {
    std::int64_t requests = 0;  ///< that were served
    double mean = 0.0, p99 = 0.0;
};

/// Times of the requests that were served after the warm-up, in s, each list in ascending order (ServiceSummary says
/// what they are).
struct RequestFigures {
    std::vector<double> ttft, tpot, e2e, queue;  ///< tpot: of requests of more than one token
    std::vector<TurnTtft> turns;                 ///< one after the other; empty if no request continues another one
    double ttft_met = 0.0, tpot_met = 0.0;       ///< shares of requests that meet the limit; a rejected one does not
};

[[nodiscard]] RequestFigures figures_of(ServiceLoad const& load, Schedule const& schedule,
                                        ServiceObjectives const& objectives);

}  // namespace pimdse::sim::serving
