#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/program.hpp"

namespace pimdse::models::dplena {

/// From the closed form of a prefetch's time.
[[nodiscard]] SamplingCost analytic_sampling(Program const& program, MachineConstants const& machine);

/// Cycles that the sampling never goes below at cycle fidelity (README.md, Lower bounds). No number in it is fitted.
struct SamplingLow {
    double memory = 0.0;  ///< with a prefetch under way
    double total = 0.0;
};
[[nodiscard]] SamplingLow sampling_low(Program const& program, HbmTiming const& timing);

}  // namespace pimdse::models::dplena
