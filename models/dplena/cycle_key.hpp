#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::dplena {

/// Equal for designs with equal answers at cycle fidelity: what a design does not use is not in it.
[[nodiscard]] CycleKey cycle_key(Inputs const& inputs, Point point);

}  // namespace pimdse::models::dplena
