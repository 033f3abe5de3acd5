#pragma once

#include "models/dplena/hbm/prefetch_low.hpp"

namespace pimdse::models::dplena {

/// Ticks that refreshes, and what they leave of `rows`, add at least to a run of `cycles` whose fetches and works take
/// turns; 0 without refresh.
[[nodiscard]] double refreshes_in_turn(Program const& program, HbmTiming const& timing, double cycles,
                                       RowTicks const& rows);

/// The same for `ticks` of fetches alone: what a refresh does not take from them, it takes from the time they wait.
[[nodiscard]] double refreshes_beside(HbmTiming const& timing, Refresh refresh, double ticks);

}  // namespace pimdse::models::dplena
