#pragma once

#include "models/contract/architecture.hpp"

#include <vector>

/// What a search may rely on.
namespace pimdse::models::gpu {

/// Of what an answer depends on: a link joins boards only where there are several, denoising asks for diffusion, and a
/// limit of power that is the data sheet's own is none.
[[nodiscard]] CycleKey cycle_key(Inputs const& inputs, Point point);

/// Lows are at the figures of the data sheet, which no limit of power changes.
[[nodiscard]] std::vector<MonotoneLow> monotone_lows();

}  // namespace pimdse::models::gpu
