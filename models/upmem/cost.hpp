#pragma once

#include "models/contract/fidelity.hpp"
#include "models/upmem/dpu/counters.hpp"
#include "models/upmem/work.hpp"
#include "sim/base/bounded.hpp"

#include <optional>

namespace pimdse::models::upmem {

/// Cycles of one launch on one DPU, and the busy cycles of its parts.
struct KernelCycles {
    double cycles = 0.0;
    double issue_busy = 0.0;  ///< cycles in which an instruction issues
    double dma_busy = 0.0;    ///< cycles in which the MRAM server works
};

/// max(all slots, one tasklet's slots and transfers, all transfers, the holder of the lock) + start-up. Up to 6 % too
/// small where tasklets queue for one another (2..11 tasklets), because it ignores this queueing.
[[nodiscard]] KernelCycles closed_form(DpuWork const& work, DmaLaw const& dma, std::int64_t tasklets,
                                       std::int64_t dispatch_distance);

/// Cycles of all critical sections one after the other: the holder of the lock shares the issue slot with the tasklets
/// that spin.
[[nodiscard]] double serial_cycles(DpuWork const& work, std::int64_t tasklets, std::int64_t dispatch_distance);

/// Steady state: every slot issues once, every transfer occupies the server, and a tasklet waits for its turns (which
/// hide hazards) and its transfers.
[[nodiscard]] double cycles_floor(DpuWork const& work, DmaLaw const& dma, std::int64_t tasklets,
                                  std::int64_t dispatch_distance);

/// Cost of one launch for one DPU at a fidelity, with bounds on the cycle-level result.
struct LaunchCost {
    sim::Bounded cycles;
    sim::Bounded issue_busy, dma_busy;      ///< see KernelCycles
    std::optional<dpu::Counters> counters;  ///< set for a simulated launch
};

[[nodiscard]] LaunchCost launch_cost(Prepared const& prepared, Design const& design, Task const& task,
                                     Fidelity fidelity);

}  // namespace pimdse::models::upmem
