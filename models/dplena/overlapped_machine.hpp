#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/sampling.hpp"

namespace pimdse::models::dplena {

/// Blocks fetched ahead into `buffers` places, up to `outstanding` prefetches under way, work as Blocks::work. Every
/// prefetch goes through the HBM controller at the time the schedule gives it.
[[nodiscard]] SamplingCost overlapped_timeline(Program const& program, Hbm const& hbm);

/// Bars for the fetch of every block and the work on it, `tick` long per cycle, at most `most` and one for what was
/// left out.
[[nodiscard]] Trace overlapped_trace(Program const& program, Hbm const& hbm, sim::Time tick, std::size_t most);

}  // namespace pimdse::models::dplena
