#pragma once

#include "models/upmem/analytic.hpp"

namespace pimdse::models::upmem {

/// Latencies of address code outside the issue server, in slots of one tasklet; and rounds of all tasklets that are
/// simulated before and after the point from which the rest is extrapolated.
struct FluidOptions {
    double read_tail = 0.0;   ///< between two consecutive reads of a tasklet
    double write_tail = 0.0;  ///< after the last write of a block
    std::int64_t settling_rounds = 1, measured_rounds = 1;
};
[[nodiscard]] FluidOptions fluid_options(MachineConstants const& machine);

/// Block-level model. Each of k computing tasklets advances at min(h/D, 1/k) slots per cycle (h: slots per
/// instruction); transfers are served first come, first served by one server; a tasklet is blocked from request to
/// completion. Progress is kept in virtual time, so an event costs O(log T). Long runs are extrapolated from a steady
/// state: the blocks left out are whole rounds of all tasklets.
[[nodiscard]] KernelCycles fluid_model(DpuWork const& work, DmaLaw const& dma, std::int64_t tasklets,
                                       std::int64_t dispatch_distance, FluidOptions const& options);

/// The same with every block simulated.
[[nodiscard]] double fluid_cycles(DpuWork const& work, DmaLaw const& dma, std::int64_t tasklets,
                                  std::int64_t dispatch_distance, FluidOptions const& options);

}  // namespace pimdse::models::upmem
