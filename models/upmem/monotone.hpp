#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::upmem {

/// Parameters along which analytic lows are monotone (README.md).
[[nodiscard]] std::vector<MonotoneLow> monotone_lows(Inputs const& inputs);

}  // namespace pimdse::models::upmem
