#pragma once

#include "models/contract/proofs.hpp"

namespace pimdse::models::dplena {

/// A key that points with equal metrics at cycle fidelity share: all parameters, except as declared in cycle_key.cpp.
[[nodiscard]] CycleKey cycle_key(Inputs const& inputs, Point point);
[[nodiscard]] KeyParts key_parts();

/// Parameters along which analytic lower bounds are monotone (README.md, Lower bounds).
[[nodiscard]] std::vector<MonotoneLowerBound> monotone_lower_bounds(Inputs const& inputs);

/// Constants of which the dimension does not tell how they move metrics (models/contract/constant_slopes.hpp).
[[nodiscard]] std::vector<std::string> constants_without_slopes(Inputs const& inputs);

}  // namespace pimdse::models::dplena
