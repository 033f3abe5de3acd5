#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::umdam {

/// Names what the cycle-level answer of a point depends on: the design that can be built, without what it does not use.
[[nodiscard]] CycleKey cycle_key(Inputs const& inputs, Point point);

/// Numbers that the analytic lows are monotone in (README.md, Lows).
[[nodiscard]] std::vector<MonotoneLow> monotone_lows();

}  // namespace pimdse::models::umdam
