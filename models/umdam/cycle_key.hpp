#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::umdam {

/// Equal for points with equal metrics at the finest fidelity: every parameter except those that cycle_key.cpp
/// declares.
[[nodiscard]] CycleKey cycle_key(Inputs const& inputs, Point point);
[[nodiscard]] KeyParts key_parts();

/// Parameters along which analytic lower bounds are monotone (README.md).
[[nodiscard]] std::vector<MonotoneLowerBound> monotone_lower_bounds(Inputs const& inputs);

}  // namespace pimdse::models::umdam
