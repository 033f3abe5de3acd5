#pragma once

#include "sim/serving/scheduler.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::sim::serving {

/// A part of the time from the first arrival to the last token.
struct TimelineInterval {
    double start = 0.0, end = 0.0;        ///< s from the start of the load
    std::int64_t arrivals = 0;            ///< requests, rejected ones included
    double waiting = 0.0, running = 0.0;  ///< requests that are not admitted and that are, mean over the interval
    double cache_share = 0.0;             ///< in use, mean over the interval and the engines
    double tokens_per_second = 0.0;       ///< generated

    friend bool operator==(TimelineInterval const&, TimelineInterval const&) = default;
};

/// `intervals` parts of equal length. `activities` are all that an observer of the schedule was told. Empty if nothing
/// was served. Blocks count as at the end of an activity, and its tokens as spread evenly over it.
[[nodiscard]] std::vector<TimelineInterval> timeline_of(Schedule const& schedule,
                                                        std::span<EngineActivity const> activities,
                                                        std::int64_t intervals);

}  // namespace pimdse::sim::serving
