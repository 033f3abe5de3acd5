#pragma once

#include "models/contract/energy_share.hpp"
#include "models/dplena/answer.hpp"

#include <optional>
#include <vector>

namespace pimdse::models::dplena {

/// Bytes of all 64-byte lines that one block's sampling reads.
[[nodiscard]] double bytes_sampled(SamplingCost const& sampling, Design const& design);

/// A request or a part of it.
struct Work {
    double samplings = 0.0;          ///< of whole blocks
    std::optional<ModelPass> model;  ///< all its passes; scope end_to_end
};
/// All of it: the sampling of one block, or the whole generation.
[[nodiscard]] Work request_of(Answer const& answer);
/// To the end of the first step, and what follows. Precondition: scope end_to_end.
[[nodiscard]] Work prefill_of(Answer const& answer, Design const& design);
[[nodiscard]] Work decode_of(Answer const& answer, Design const& design);

/// s.
[[nodiscard]] Estimate time_of(Answer const& answer, MachineConstants const& machine, Work const& work);
/// From the request to its last output, s.
[[nodiscard]] Estimate request_latency(Answer const& answer, MachineConstants const& machine);

/// Energy of this many bytes read from or written to HBM: inside the stack, and over its pins.
[[nodiscard]] double array_energy(double bytes, StackConstants const& stack);
[[nodiscard]] double interface_energy(double bytes, StackConstants const& stack);

/// Where the energy of a request or a part of it goes.
[[nodiscard]] std::vector<EnergyShare> energy_shares(Answer const& answer, Design const& design,
                                                     MachineConstants const& machine, Work const& work);

/// Where time, energy and area go.
[[nodiscard]] Breakdown breakdown_of(Answer const& answer, Design const& design, MachineConstants const& machine);

}  // namespace pimdse::models::dplena
