#pragma once

#include "models/umdam/phases.hpp"

namespace pimdse::models::umdam {

/// The answers of this architecture, in declared order.
[[nodiscard]] MetricList metrics();

/// One estimate per metric.
[[nodiscard]] Metrics metrics_of(System const& system, RequestCost const& cost, MachineConstants const& machine);

}  // namespace pimdse::models::umdam
