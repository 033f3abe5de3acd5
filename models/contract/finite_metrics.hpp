#pragma once

#include "models/contract/inputs.hpp"
#include "models/contract/outcome.hpp"

namespace pimdse::models {

/// The outcome, unless a metric that applies is not finite: then a Defect of kind not_a_number, which names the first
/// such metric and the constant or parameter that is furthest from its usual value.
[[nodiscard]] Outcome finite_or_defect(Architecture const& architecture, Inputs const& inputs, Point point,
                                       Outcome outcome);

}  // namespace pimdse::models
