#pragma once

#include "models/dplena/constants.hpp"
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

/// From the closed form of a prefetch's time.
[[nodiscard]] SamplingCost analytic_sampling(Program const& program, Machine const& machine);

/// From prefetch times that the HBM controller gave for this stream or one like it.
[[nodiscard]] SamplingCost hybrid_sampling(Program const& program, Machine const& machine);

}  // namespace pimdse::models::dplena
