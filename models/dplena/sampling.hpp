#pragma once

#include "models/dplena/program/program.hpp"

namespace pimdse::models::dplena {

/// What a design's sampling costs, in cycles: the instruction counts are exact at every fidelity, the time of the
/// prefetches and what the whole makes of it are as good as the fidelity.
struct SamplingCost {
    Counts counts;
    std::int64_t prefetches = 0;
    Estimate memory;  ///< cycles with a prefetch under way
    Estimate total;
};

}  // namespace pimdse::models::dplena
