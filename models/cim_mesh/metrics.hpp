#pragma once

#include "models/cim_mesh/result.hpp"
#include "models/contract/metric.hpp"
#include "models/economy/economy.hpp"

namespace pimdse::models::cim_mesh {

[[nodiscard]] MetricList metric_list();

/// The result with the metrics of its own, and its bill.
[[nodiscard]] RequestResult request_result(Result const& result, economy::Economy const& economy);

}  // namespace pimdse::models::cim_mesh
