#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::cim_mesh {

/// Parameters along which analytic lows are monotone (README.md).
[[nodiscard]] std::vector<MonotoneLow> monotone_lows(Inputs const& inputs);

}  // namespace pimdse::models::cim_mesh
