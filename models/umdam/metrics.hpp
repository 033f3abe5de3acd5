#pragma once

#include "models/umdam/request_cost.hpp"

#include <vector>

namespace pimdse::models::umdam {

/// The answers of this architecture, in declared order.
[[nodiscard]] MetricList metrics();

/// One estimate per metric: the values of the first answer, within the bounds of all, one of which is right.
[[nodiscard]] Metrics metrics_of(System const& system, std::vector<RequestCost> const& results,
                                 MachineConstants const& machine);

/// For prefill and decode the unit or memory that is nearest to its roof: cubes, vector units, pins of the channels,
/// banks that multiply whole rows, launches. A phase that takes no time has none.
[[nodiscard]] std::vector<PhaseLimit> limits_of(System const& system, RequestCost const& cost,
                                                MachineConstants const& machine);

}  // namespace pimdse::models::umdam
