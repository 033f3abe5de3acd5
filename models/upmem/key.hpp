#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::upmem {

/// See Architecture::cycle_key: the design with all that it does not use brought to one value.
[[nodiscard]] CycleKey cycle_key(Inputs const& inputs, Point point);

/// See Architecture::monotone_lows; README.md, "Lows", says why.
[[nodiscard]] std::vector<MonotoneLow> monotone_lows();

}  // namespace pimdse::models::upmem
