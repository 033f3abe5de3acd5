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

/// One instruction after the other, fetches included, which take `memory` cycles together.
[[nodiscard]] inline SamplingCost serial_sampling(Program const& program, Estimate const& memory) {
    auto const counts = program.total();
    return {counts, program.prefetches(), memory, memory + static_cast<double>(counts.sum())};
}

}  // namespace pimdse::models::dplena
