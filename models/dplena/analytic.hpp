#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/program.hpp"

namespace pimdse::models::dplena {

/// From the closed form of a prefetch's time.
[[nodiscard]] SamplingCost analytic_sampling(Program const& program, MachineConstants const& machine);

/// Cycles that the sampling never goes below at cycle fidelity (README.md, Lower bounds). No number in it is fitted.
struct SamplingLowerBound {
    double memory = 0.0;  ///< with a prefetch under way
    double total = 0.0;
};
[[nodiscard]] SamplingLowerBound sampling_lower_bound(Program const& program, HbmTiming const& timing);

}  // namespace pimdse::models::dplena
