#pragma once

#include "models/upmem/work.hpp"

namespace pimdse::models::upmem {

/// Cycles of one launch on one DPU, and what kept it busy.
struct KernelCycles {
    double cycles = 0.0;
    double issue_busy = 0.0;  ///< cycles in which an instruction issues
    double dma_busy = 0.0;    ///< cycles in which the MRAM server works
};

/// max(all slots, one tasklet's slots and transfers, all transfers, the lock's holder) + start-up.
/// Low by up to 6 % where tasklets queue for one another (2..11 of them), since it ignores that queueing.
[[nodiscard]] KernelCycles closed_form(DpuWork const& work, DmaLaw const& dma, std::int64_t tasklets,
                                       std::int64_t dispatch_distance);

/// Cycles for which one request of the work holds the MRAM server, and all of them together.
[[nodiscard]] double read_service(DpuWork const& work, DmaLaw const& dma);
[[nodiscard]] double write_service(DpuWork const& work, DmaLaw const& dma);
[[nodiscard]] double server_cycles(DpuWork const& work, DmaLaw const& dma);

/// Cycles of all critical sections one after the other: the holder shares the issue slot with those who spin.
[[nodiscard]] double serial_cycles(DpuWork const& work, std::int64_t tasklets, std::int64_t dispatch_distance);

/// Steady state: every slot issues once, every transfer holds the server, a tasklet waits for its turns (hazards are
/// hidden meanwhile) and its transfers.
[[nodiscard]] double cycles_floor(DpuWork const& work, DmaLaw const& dma, std::int64_t tasklets,
                                  std::int64_t dispatch_distance);

}  // namespace pimdse::models::upmem
