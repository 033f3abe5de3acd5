#pragma once

#include "models/dplena/prepared.hpp"
#include "models/dplena/sampling.hpp"

namespace pimdse::models::dplena {

/// From prefetch times that the HBM controller gave for this stream or one like it.
[[nodiscard]] SamplingCost hybrid_sampling(Program const& program, MachineConstants const& machine,
                                           HybridMemory const& memory);

}  // namespace pimdse::models::dplena
