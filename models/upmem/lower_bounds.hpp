#pragma once

#include "models/upmem/cycle.hpp"
#include "models/upmem/work.hpp"

namespace pimdse::models::upmem {

/// Proved bounds of the cycle-level result of a launch. README.md, "Lower bounds", has the argument for each. They
/// contain no fitted number.
struct LaunchLowerBound {
    double cycles = 0.0;
    double instructions = 0.0;
    bool exactly = false;                           ///< whether `instructions` is what the cycle level counts
    double dma_busy_min = 0.0, dma_busy_max = 0.0;  ///< the upper bound is infinite if unknown
};
[[nodiscard]] LaunchLowerBound launch_lower_bound(Prepared const& prepared, Design const& design, Task const& task);

/// Relative amount by which a proved bound is reduced to allow for rounding.
inline constexpr double rounding = 0x1p-30;

}  // namespace pimdse::models::upmem
