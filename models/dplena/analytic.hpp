#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/program.hpp"

namespace pimdse::models::dplena {

/// Sampling cost from closed forms: one of the time of a prefetch, one of the pipeline of fetches and work.
[[nodiscard]] SamplingCost analytic_sampling(Program const& program, MachineConstants const& machine);

/// Lower bounds [cycles] of the sampling at cycle fidelity (README.md, Lower bounds). No number in them is fitted.
struct SamplingLowerBound {
    double memory = 0.0;  ///< cycles with a prefetch in flight
    double total = 0.0;
};
[[nodiscard]] SamplingLowerBound sampling_lower_bound(Program const& program, HbmTiming const& timing);

}  // namespace pimdse::models::dplena
