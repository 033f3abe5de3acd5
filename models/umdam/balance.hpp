#pragma once

#include "models/umdam/prepared.hpp"
#include "models/umdam/system.hpp"

#include <vector>

namespace pimdse::models::umdam {

/// Placements that pimnast has for a matrix, the one of relayout first: columns in one part or in up to as many equal
/// parts as there are channels, tiles as wide as the banks or twice as wide, in every order.
[[nodiscard]] std::vector<TilePlacement> placements(System const& system);

/// The matrix stored at a placement for the banks.
[[nodiscard]] Matrix placed_at(TilePlacement const& placement, Matrix matrix, System const& system);

/// Stores every matrix at the placement with the shortest closed form of its product in the banks with the vectors of a
/// batch, sums of parts on the NPU included; of equal ones the first. Preconditions: matrices stored as relayout does,
/// mappings chosen.
void balance(System& system, Prepared const& prepared);

}  // namespace pimdse::models::umdam
