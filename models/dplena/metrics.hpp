#pragma once

#include "models/dplena/answer.hpp"

namespace pimdse::models::dplena {

[[nodiscard]] MetricList metrics();

/// One Estimate per metric, in the order of metrics().
[[nodiscard]] Metrics metrics_of(Answer const& answer, Design const& design, Prepared const& prepared);

}  // namespace pimdse::models::dplena
