#pragma once

#include "models/cim_mesh/answer.hpp"

namespace pimdse::models::cim_mesh {

[[nodiscard]] MetricTable metric_table();

/// One Estimate per metric of metric_table().
[[nodiscard]] Metrics to_metrics(Answer const& answer, Partition const& partition);

}  // namespace pimdse::models::cim_mesh
