#pragma once

#include "models/upmem/work.hpp"

namespace pimdse::models::upmem {

/// Cycles of one launch on one DPU, and what kept it busy.
struct KernelCycles {
    double cycles = 0.0;
    double issue_busy = 0.0;   ///< cycles in which an instruction issues
    double dma_busy = 0.0;     ///< cycles in which the MRAM server works
};

/// max(all slots, one tasklet's slots and transfers, all transfers, the lock's holder) + start-up.
/// Low by up to 6 % where tasklets queue for one another (2..11 of them), since it ignores that queueing.
[[nodiscard]] KernelCycles closed_form(DpuWork const& work, DmaLaw const& dma, std::int64_t tasklets, std::int64_t dispatch_distance);

/// A floor no schedule can beat: every slot issues once, every transfer holds the server, a tasklet waits for its own.
[[nodiscard]] double cycles_floor(DpuWork const& work, DmaLaw const& dma, std::int64_t tasklets, std::int64_t dispatch_distance);

}  // namespace pimdse::models::upmem
