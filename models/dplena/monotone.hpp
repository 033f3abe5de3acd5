#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::dplena {

/// Parameters along which analytic lows are monotone (README.md, Lows).
[[nodiscard]] std::vector<MonotoneLow> monotone_lows(Inputs const& inputs);

}  // namespace pimdse::models::dplena
