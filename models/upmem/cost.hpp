#pragma once

#include "models/upmem/analytic.hpp"
#include "models/upmem/dpu/counters.hpp"

#include <optional>

namespace pimdse::models::upmem {

/// What one launch costs one DPU at some fidelity, and where the cycle-level answer lies.
struct LaunchCost {
    KernelCycles value;
    double low = 0.0, high = 0.0;  ///< cycles
    Bound bound = Bound::none;
    std::optional<dpu::Counters> counters;  ///< of a simulated launch
};

[[nodiscard]] LaunchCost launch_cost(Prepared const& prepared, Design const& design, Launch const& launch,
                                     Fidelity fidelity);

}  // namespace pimdse::models::upmem
