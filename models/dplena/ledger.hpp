#pragma once

#include "models/contract/breakdown.hpp"
#include "models/contract/ledger.hpp"
#include "models/contract/standby.hpp"
#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"
#include "models/dplena/host.hpp"
#include "models/dplena/program.hpp"

#include <vector>

namespace pimdse::models::dplena {

/// The ledger of dplena: the source or the assumption behind every row.
[[nodiscard]] Ledger ledger();

/// Bytes of all 64-byte lines that the sampling of one block reads.
[[nodiscard]] double bytes_sampled(SamplingCost const& sampling, Design const& design);

/// Energy [J] of this number of bytes read from or written to HBM: inside the stack, and over its pins.
[[nodiscard]] double array_energy(double bytes, StackConstants const& stack);
[[nodiscard]] double interface_energy(double bytes, StackConstants const& stack);

/// Where the time [s] of the sampling of a block goes, and what limits it.
[[nodiscard]] std::vector<Share> block_times(SamplingCost const& sampling, FifoCycles const& fifo, Design const& design,
                                             MachineConstants const& machine);
[[nodiscard]] PhaseLimit block_limit(SamplingCost const& sampling, FifoCycles const& fifo, Design const& design,
                                     MachineConstants const& machine);

/// Area on the die: one share each for vector unit, memories and HBM channels, named by rows of the ledger.
[[nodiscard]] std::vector<Share> area_of(Design const& design, MachineConstants const& machine);

/// Area of the DRAM and base dies of the stacks.
[[nodiscard]] sim::Area memory_area_of(Design const& design, MachineConstants const& machine);

/// Power [W] of the vector and the scalar unit at work.
struct Powers {
    double vector = 0.0, scalar = 0.0;
};
[[nodiscard]] Powers powers_of(Design const& design, MachineConstants const& machine);
/// Adds what memories, PHYs and controllers draw at rest.
void add_memories_at_rest(Design const& design, MachineConstants const& machine, Standby& to);
/// Power [W] of one stack if all channels of the design together carry this number of bytes per second: row
/// activations, pins, background power with rows open, refresh.
[[nodiscard]] double stack_power(Design const& design, MachineConstants const& machine, double bytes_per_second);

}  // namespace pimdse::models::dplena
