#pragma once

#include "models/umdam/request_cost.hpp"

namespace pimdse::models::umdam {

/// The answers of this architecture, in declared order.
[[nodiscard]] MetricList metrics();

/// One estimate per metric: the values of the first answer, within the bounds of all, one of which is right.
[[nodiscard]] Metrics metrics_of(System const& system, std::vector<RequestCost> const& answers,
                                 MachineConstants const& machine);

}  // namespace pimdse::models::umdam
