#pragma once

#include "models/contract/energy_share.hpp"
#include "models/dplena/answer.hpp"

#include <vector>

namespace pimdse::models::dplena {

/// Bytes of all 64-byte lines that one block's sampling reads.
[[nodiscard]] double bytes_sampled(SamplingCost const& sampling, Design const& design);

/// From the request to its last output, s: the sampling, or the whole generation.
[[nodiscard]] Estimate request_latency(Answer const& answer, MachineConstants const& machine);

/// Energy of this many bytes read from or written to HBM: inside the stack, and over its pins.
[[nodiscard]] double array_energy(double bytes, StackConstants const& stack);
[[nodiscard]] double interface_energy(double bytes, StackConstants const& stack);

/// Where the energy of a request goes.
[[nodiscard]] std::vector<EnergyShare> energy_shares(Answer const& answer, Design const& design,
                                                     MachineConstants const& machine);

/// Where time, energy and area go.
[[nodiscard]] Breakdown breakdown_of(Answer const& answer, Design const& design, MachineConstants const& machine);

}  // namespace pimdse::models::dplena
