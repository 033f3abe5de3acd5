#pragma once

#include <cstdint>
#include <limits>

namespace pimdse::models::upmem::dpu {

/// Counts of a run. cycles = instructions + idle_dma + idle_other + back_pressure.
struct Counters {
    std::int64_t cycles = 0;
    std::int64_t instructions = 0;  ///< cycles in which a tasklet issued
    /// No tasklet could issue, and at least one was ready except for its transfer.
    std::int64_t idle_dma = 0;
    std::int64_t idle_other = 0;
    /// The pipeline or the list of blocked tasklets refused an instruction.
    std::int64_t back_pressure = 0;
    std::int64_t hazard_cycles = 0;  ///< extra cycles in the register stage
    bool operator==(Counters const&) const = default;
};

struct CoreOptions {
    int tasklets = 1;
    int dispatch_distance = 11;
    std::int64_t cycle_limit = std::numeric_limits<std::int64_t>::max() / 2;
};

inline constexpr int max_tasklets = 24;
inline constexpr int pipeline_depth = 14;

}  // namespace pimdse::models::upmem::dpu
