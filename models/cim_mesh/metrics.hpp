#pragma once

#include "models/cim_mesh/result.hpp"
#include "models/contract/metric.hpp"
#include "models/economy/economy.hpp"

namespace pimdse::models::cim_mesh {

[[nodiscard]] MetricList metric_list();

/// A design with its result: the input of all metrics.
struct Evaluated {
    Result const& result;
    Partition const& partition;
    Design const& design;
};

[[nodiscard]] RequestResult request_result(Evaluated const& evaluated, economy::Economy const& economy);

}  // namespace pimdse::models::cim_mesh
