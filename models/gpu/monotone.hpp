#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::gpu {

/// Lows are at the figures of the data sheet, which no limit of power changes.
[[nodiscard]] std::vector<MonotoneLow> monotone_lows(Inputs const& inputs);

}  // namespace pimdse::models::gpu
