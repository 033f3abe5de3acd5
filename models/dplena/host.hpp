#pragma once

#include "models/contract/breakdown.hpp"
#include "models/dplena/constants.hpp"
#include "models/dplena/program.hpp"

#include <string_view>

namespace pimdse::models::dplena {

/// Time of the FIFO between the integer SRAM and the link to the host, in cycles of the units. After the last step of a
/// block all its tokens enter, one word of `host_fifo` bits per cycle while there is room; the link takes them in
/// order. The units go on when the last word is in.
struct FifoCycles {
    double entering = 0.0;  ///< until the last word of a block is in; the units wait
    double leaving = 0.0;   ///< from then on until the host has it, hidden behind the next block if there is one
};

/// Why steps of an engine have no FIFO.
inline constexpr std::string_view fifo_in_steps =
    "tokens that reach the host over a FIFO while the next step runs are not modelled: host_fifo = 0";

/// Both are exact: in closed form, and word by word. 0 without a FIFO.
[[nodiscard]] FifoCycles host_fifo(Design const& design, MachineConstants const& machine);
[[nodiscard]] FifoCycles host_fifo_timeline(Design const& design, MachineConstants const& machine);

/// Capacity of the FIFO.
[[nodiscard]] sim::Data fifo_size(Design const& design);
/// Tokens of a block that leave.
[[nodiscard]] sim::Data fifo_tokens(Design const& design, MachineConstants const& machine);
/// Energy of a block's tokens from the integer SRAM to the link: a read of the SRAM (of a row for each word in a
/// unified memory), and a write and a read of the FIFO.
[[nodiscard]] sim::Energy fifo_energy(Design const& design, MachineConstants const& machine);

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
