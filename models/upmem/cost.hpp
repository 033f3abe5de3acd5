#pragma once

#include "models/contract/fidelity.hpp"
#include "models/upmem/analytic.hpp"
#include "models/upmem/dpu/counters.hpp"
#include "sim/base/bounded.hpp"

#include <optional>

namespace pimdse::models::upmem {

/// Cost of one launch for one DPU at a fidelity, with bounds on the cycle-level result.
struct LaunchCost {
    sim::Bounded cycles;
    sim::Bounded issue_busy, dma_busy;      ///< see KernelCycles
    std::optional<dpu::Counters> counters;  ///< set for a simulated launch
};

[[nodiscard]] LaunchCost launch_cost(Prepared const& prepared, Design const& design, Task const& task,
                                     Fidelity fidelity);

}  // namespace pimdse::models::upmem
