#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::cim_mesh {

/// Parameters along which analytic lows are monotone (README.md).
[[nodiscard]] std::vector<MonotoneLow> monotone_lows(Inputs const& inputs);
/// Of them, what these constants do not allow to declare.
[[nodiscard]] std::vector<std::string> not_known(Inputs const& inputs);

}  // namespace pimdse::models::cim_mesh
