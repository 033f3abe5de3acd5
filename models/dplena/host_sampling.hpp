#pragma once

#include "models/contract/breakdown.hpp"
#include "models/dplena/constants.hpp"
#include "models/dplena/program.hpp"

namespace pimdse::models::dplena {

/// Bytes of the logits that the host receives in all steps of a block, and of the tokens that it returns.
[[nodiscard]] double host_bytes(Design const& design, MachineConstants const& machine);
/// Seconds in which the host computes in all steps of a block.
[[nodiscard]] double host_seconds(Design const& design, MachineConstants const& machine);

/// Cost of the steps of a block. The logits go to the host sequence by sequence over its link, it samples a sequence
/// while the next one arrives, and the tokens of all come back. In closed form, and one transfer and computation after
/// the other. Both are exact.
[[nodiscard]] SamplingCost host_sampling(Design const& design, MachineConstants const& machine);
[[nodiscard]] SamplingCost host_timeline(Design const& design, MachineConstants const& machine);
/// Bars of that timeline: the logits of every sequence, the work on them, the tokens of every step.
[[nodiscard]] Trace host_trace(Design const& design, MachineConstants const& machine, std::size_t max);

}  // namespace pimdse::models::dplena
