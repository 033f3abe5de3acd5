#pragma once

#include "sim/base/units.hpp"

namespace pimdse::models {

/// How a supply voltage goes with the clock: V(f) / V(f0) = floor + (1 - floor) f / f0, within a range of clocks.
struct Supply {
    sim::Frequency nominal;          ///< f0, at which energies are known
    double floor = 0.0;              ///< share of V(f0) that is left as f goes to 0, 0..1
    sim::Frequency lowest, highest;  ///< clocks for which this is said

    [[nodiscard]] bool allows(sim::Frequency clock) const { return clock.si >= lowest.si && clock.si <= highest.si; }
    [[nodiscard]] double voltage(sim::Frequency clock) const { return floor + (1.0 - floor) * (clock.si / nominal.si); }
    /// Energy of an operation over that at the nominal clock: V^2.
    [[nodiscard]] double energy_factor(sim::Frequency clock) const { return voltage(clock) * voltage(clock); }
};

}  // namespace pimdse::models
