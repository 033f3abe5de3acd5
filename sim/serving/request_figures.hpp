#pragma once

#include "sim/serving/scheduler.hpp"
#include "sim/serving/summary.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::sim::serving {

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
