#pragma once

#include "models/dplena/machine.hpp"
#include "models/dplena/program.hpp"

namespace pimdse::models::dplena {

/// What a design's sampling costs, in cycles: the instruction counts are exact at every fidelity, the time of the prefetches
/// and what the whole makes of it are as good as the fidelity.
struct SamplingCost {
    Counts counts;
    std::int64_t prefetches = 0;
    Estimate memory;    ///< cycles with a prefetch under way
    Estimate total;
};

[[nodiscard]] SamplingCost analytic_sampling(Program const& program, Machine const& machine);

/// The whole from the mean time of a prefetch: the sum when nothing overlaps, else a closed form of the pipeline of blocks
/// (README.md), between its resource bounds and the sum.
[[nodiscard]] SamplingCost composed_sampling(Program const& program, Estimate const& mean_prefetch);

}  // namespace pimdse::models::dplena
