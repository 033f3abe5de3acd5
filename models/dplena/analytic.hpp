#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/sampling.hpp"

namespace pimdse::models::dplena {

/// From the closed form of a prefetch's time.
[[nodiscard]] SamplingCost analytic_sampling(Program const& program, MachineConstants const& machine);

}  // namespace pimdse::models::dplena
