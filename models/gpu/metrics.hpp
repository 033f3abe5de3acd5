#pragma once

#include "models/gpu/analytic.hpp"

namespace pimdse::models::gpu {

[[nodiscard]] MetricList metrics();
[[nodiscard]] Metrics metrics_of(Answer const& answer);

}  // namespace pimdse::models::gpu
