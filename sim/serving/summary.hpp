#pragma once

#include "sim/serving/scheduler.hpp"

#include <cstddef>
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

/// What users and the owner of a machine see of a load. Times in s; rates are over `makespan`.
struct ServiceSummary {
    std::int64_t requests = 0, served = 0, rejected = 0, good = 0, preemptions = 0;
    double makespan = 0.0;                         ///< from the first arrival to the last token
    double goodput = 0.0;                          ///< good requests per second
    double good_share = 0.0;                       ///< of all requests; a rejected one is not good
    double request_rate = 0.0, output_rate = 0.0;  ///< served requests, and their tokens, per second
    std::optional<Spread> ttft;                    ///< first token - arrival; none if nothing was served
    std::optional<Spread> tpot;   ///< (last - first token) / (output - 1); none if every request has one token
    std::optional<Spread> e2e;    ///< last token - arrival
    std::optional<Spread> queue;  ///< start of the first step - arrival
    double kv_peak = 0.0;         ///< share of the blocks of the cache
    double energy = 0.0;          ///< J, in steps and idle
    double mean_power = 0.0;      ///< W
    std::optional<double> energy_per_good_token;  ///< all energy over the output tokens of good requests; none without
    /// More requests wait for admission at the last arrival than were not complete when the middle one arrived: the
    /// queue grows for as long as requests arrive, so that times describe the length of the load. Never so in a closed
    /// loop.
    bool saturated = false;
};

/// `idle_watts` is what one engine draws between steps.
[[nodiscard]] ServiceSummary summarise(ServiceLoad const& load, SchedulerSettings const& settings,
                                       Schedule const& schedule, ServiceObjectives const& objectives,
                                       double idle_watts);

/// ServiceSummary::good_share alone.
[[nodiscard]] double good_share(ServiceLoad const& load, Schedule const& schedule, ServiceObjectives const& objectives);

}  // namespace pimdse::sim::serving
