#pragma once

#include "sim/base/units.hpp"

/// Laws of what dies cost; models/economy/economy.hpp has the constants, docs/cost.md the equations.
namespace pimdse::models::economy {

/// Rectangular dies on a round wafer (de Vries, 2005): pi d^2 / (4 A) - pi d / sqrt(2 A), the second term for dies that
/// the edge cuts. Precondition: 0 < A, and the wafer is some dies wide, so that the result is above 0.
[[nodiscard]] double dies_per_wafer(sim::Area die, double wafer_diameter);

/// Share of dies without a defect if defects are clustered (negative-binomial): (1 + A D / cluster)^-cluster. `defects`
/// per m2. Poisson's exp(-A D) is the limit for large clusters. Precondition: cluster > 0.
[[nodiscard]] double yield_of(sim::Area die, double defects, double cluster);

/// Package as a share of the packaged die: share / (1 - share) of the die.
[[nodiscard]] double package_by_share(double dies, double share);

/// Share of a sum that is spent over a lifetime for each second of use: 1 / (lifetime x utilisation), in 1/s.
[[nodiscard]] double write_off_rate(sim::Time lifetime, double utilisation);

/// Idle time for each second of use.
[[nodiscard]] double idle_share(double utilisation);

}  // namespace pimdse::models::economy
