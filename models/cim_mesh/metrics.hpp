#pragma once

#include "models/cim_mesh/answer.hpp"

namespace pimdse::models::cim_mesh {

[[nodiscard]] MetricList metric_list();

/// An answer and what it was asked of.
struct Answered {
    Answer const& answer;
    Partition const& partition;
    Design const& design;
};

/// One Estimate per metric of metric_list().
[[nodiscard]] Metrics to_metrics(Answered const& answered);

}  // namespace pimdse::models::cim_mesh
