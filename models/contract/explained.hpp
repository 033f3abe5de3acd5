#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models {

/// What an architecture says of a point and where it goes, with the silicon by process: logic, logic beside the banks
/// of a DRAM process, and memory dies, m2. Their sum is the metric `silicon`. Throws what `explain` throws.
[[nodiscard]] Explained explained(Architecture const& architecture, Inputs const& inputs, Point point,
                                  Fidelity fidelity);

}  // namespace pimdse::models
