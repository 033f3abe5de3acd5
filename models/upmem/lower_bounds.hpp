#pragma once

#include "models/upmem/cycle.hpp"
#include "models/upmem/work.hpp"

namespace pimdse::models::upmem {

/// Bounds of what the cycle level answers for a launch, proved: README.md, "Lower bounds", has the argument for each.
/// No fitted number is in them.
struct LaunchLowerBound {
    double cycles = 0.0;
    double instructions = 0.0;
    bool exactly = false;                           ///< `instructions` is what the cycle level counts
    double dma_busy_min = 0.0, dma_busy_max = 0.0;  ///< the last: infinite if unknown
};
[[nodiscard]] LaunchLowerBound launch_lower_bound(Prepared const& prepared, Design const& design, Task const& task);

/// What a proved bound is shrunk by, relatively, against rounding.
inline constexpr double rounding = 0x1p-30;

}  // namespace pimdse::models::upmem
