#pragma once

#include "models/upmem/work.hpp"

namespace pimdse::models::upmem {

/// Cycles of one launch on one DPU, and the busy cycles of its parts.
struct KernelCycles {
    double cycles = 0.0;
    double issue_busy = 0.0;  ///< cycles in which an instruction issues
    double dma_busy = 0.0;    ///< cycles in which the MRAM server works
};

/// max(all slots, one tasklet's slots and transfers, all transfers, the holder of the lock) + start-up. Up to 6 % too
/// low where tasklets queue for one another (2..11 tasklets), because it ignores this queueing.
[[nodiscard]] KernelCycles closed_form(DpuWork const& work, DmaLaw const& dma, std::int64_t tasklets,
                                       std::int64_t dispatch_distance);

/// Cycles of all critical sections one after the other: the holder of the lock shares the issue slot with the tasklets
/// that spin.
[[nodiscard]] double serial_cycles(DpuWork const& work, std::int64_t tasklets, std::int64_t dispatch_distance);

/// Steady state: every slot issues once, every transfer occupies the server, and a tasklet waits for its turns (which
/// hide hazards) and its transfers.
[[nodiscard]] double cycles_floor(DpuWork const& work, DmaLaw const& dma, std::int64_t tasklets,
                                  std::int64_t dispatch_distance);

}  // namespace pimdse::models::upmem
