#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::gpu {

/// Equal keys imply equal metrics at the finest fidelity. Every parameter enters the key, except as declared in
/// cycle_key.cpp.
[[nodiscard]] CycleKey cycle_key(Inputs const& inputs, Point point);
[[nodiscard]] KeyParts key_parts();

/// Lower bounds use the rates of the data sheet, which no power limit changes.
[[nodiscard]] std::vector<MonotoneLowerBound> monotone_lower_bounds(Inputs const& inputs);

}  // namespace pimdse::models::gpu
