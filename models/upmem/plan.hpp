#pragma once

#include "models/upmem/work.hpp"

namespace pimdse::models::upmem {

/// The plan of a feasible point (see rules.hpp) without a model.
///
/// A matrix of the shape `tiles` is transposed as PrIM's TRNS does it: DPUs take columns of tiles in rounds, each round
/// has two launches. The first transposes every tile by itself, the second carries rows of tiles to their places under
/// one lock of flags.
[[nodiscard]] Plan plan(Prepared const& prepared, Design const& design);

}  // namespace pimdse::models::upmem
