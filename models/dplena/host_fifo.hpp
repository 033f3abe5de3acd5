#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"

namespace pimdse::models::dplena {

/// Time of the FIFO between the integer SRAM and the link to the host, in cycles of the units. After the last step of a
/// block all its tokens enter, one word of `host_fifo` bits per cycle while there is room; the link takes them in
/// order. The units go on when the last word is in.
struct FifoCycles {
    double entering = 0.0;  ///< until the last word of a block is in; the units wait
    double leaving = 0.0;   ///< from then on until the host has it, hidden behind the next block if there is one
};

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

}  // namespace pimdse::models::dplena
