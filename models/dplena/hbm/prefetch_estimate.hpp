#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"

namespace pimdse::models::dplena {

/// Ticks as they are expected, and seldom more than `high` (calibrated); lows are elsewhere.
struct Expected {
    double value = 0.0, high = 0.0;
    [[nodiscard]] Expected times(double n) const { return {value * n, high * n}; }
};

/// Mean ticks of one prefetch of a long stream in closed form: a straight line in the reads per pseudo-channel where
/// that holds, else measured means (constants.toml), interpolated, shifted for another number of channels; of which
/// `outstanding` are under way at once.
[[nodiscard]] Expected estimate_prefetch(Design const& design, MachineConstants const& machine, double outstanding);

}  // namespace pimdse::models::dplena
