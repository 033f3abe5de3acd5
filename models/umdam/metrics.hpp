#pragma once

#include "models/contract/breakdown.hpp"
#include "models/contract/metric.hpp"
#include "models/economy/economy.hpp"
#include "models/umdam/request.hpp"

#include <vector>

namespace pimdse::models::umdam {

/// The metrics of this architecture, in declared order.
[[nodiscard]] MetricList metrics();

/// The values of the first result, with bounds that contain the bounds of all results, of which one is correct.
[[nodiscard]] RequestResult request_result(System const& system, std::vector<RequestCost> const& results,
                                           MachineConstants const& machine, economy::Economy const& economy);

/// For prefill and decode, the unit or memory that is closest to its roof: matrix unit, vector unit, pins of the
/// channels, banks that multiply whole rows, or launches. A phase that takes no time has no limit.
[[nodiscard]] std::vector<PhaseLimit> limits_of(System const& system, RequestCost const& cost,
                                                MachineConstants const& machine);

}  // namespace pimdse::models::umdam
