#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"

namespace pimdse::models::dplena {

/// Mean ticks of one prefetch of a long stream in closed form: a straight line in the reads per pseudo-channel where
/// that holds, else measured means (constants.toml), interpolated, shifted for another number of channels. `low` is
/// proved from the busiest pseudo-channel's bus; `high` is calibrated.
[[nodiscard]] Estimate estimate_prefetch(Design const& design, PrefetchTable const& table,
                                         EstimateAllowances const& allowances, HbmTiming const& timing);

}  // namespace pimdse::models::dplena
