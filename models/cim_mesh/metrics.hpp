#pragma once

#include "models/cim_mesh/answer.hpp"

namespace pimdse::models::cim_mesh {

[[nodiscard]] MetricList metric_list();

/// One Estimate per metric of metric_list().
[[nodiscard]] Metrics to_metrics(Answer const& answer, Partition const& partition);

}  // namespace pimdse::models::cim_mesh
