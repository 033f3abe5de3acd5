#pragma once

#include "sim/serving/scheduler.hpp"
#include "sim/serving/summary.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::sim::serving {

/// Times of the requests that were served after the warm-up, in s, each list in ascending order (ServiceSummary says
/// what they are).
struct RequestFigures {
    std::vector<double> ttft, tpot, e2e, queue;  ///< tpot: of requests of more than one token
    double ttft_met = 0.0, tpot_met = 0.0;       ///< shares of requests that meet the limit; a rejected one does not
};

[[nodiscard]] RequestFigures figures_of(ServiceLoad const& load, Schedule const& schedule,
                                        ServiceObjectives const& objectives);

}  // namespace pimdse::sim::serving
