#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::dplena {

/// Equal for points with equal metrics at the finest fidelity: every parameter, but for what is declared in
/// cycle_key.cpp.
[[nodiscard]] CycleKey cycle_key(Inputs const& inputs, Point point);
[[nodiscard]] KeyParts key_parts();

/// Parameters along which analytic lows are monotone (README.md, Lower bounds).
[[nodiscard]] std::vector<MonotoneLowerBound> monotone_lower_bounds(Inputs const& inputs);

}  // namespace pimdse::models::dplena
