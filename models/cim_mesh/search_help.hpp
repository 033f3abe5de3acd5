#pragma once

#include "models/contract/architecture.hpp"

#include <vector>

/// What a search may rely on.
namespace pimdse::models::cim_mesh {

/// Of the design as its machine makes it, what a cycle-level answer depends on. What a point says and its design does
/// not use is left out: denoising without diffusion, genes without placement = genes, ranks without adapters.
[[nodiscard]] CycleKey cycle_key(Inputs const& inputs, Point point);

/// README.md, Lows, says why.
[[nodiscard]] std::vector<MonotoneLow> monotone_lows();

}  // namespace pimdse::models::cim_mesh
