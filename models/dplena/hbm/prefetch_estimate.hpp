#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"
#include "models/dplena/program.hpp"

namespace pimdse::models::dplena {

/// Expected ticks with a calibrated upper bound. The lower bounds are in lower_bounds.hpp.
struct Expected {
    double value = 0.0, upper = 0.0;
    [[nodiscard]] Expected times(double n) const { return {value * n, upper * n}; }
};

/// Mean ticks of one prefetch of a long stream with `outstanding` prefetches in flight, in closed form: a straight line
/// in the reads per pseudo-channel where that is valid, otherwise interpolated measured means (constants.toml), shifted
/// for another number of channels.
[[nodiscard]] Expected estimate_prefetch(Design const& design, MachineConstants const& machine, double outstanding);

/// A timer of the HBM of the design, in cycles of its units; `hbm2`: the timing of HBM2.
[[nodiscard]] double cycles_of_ticks(Design const& design, HbmTiming const& hbm2, std::int64_t HbmTiming::*timer);

/// Adds the refreshes of the design, if it has any, to its memory cycles without refresh. A refresh that begins while a
/// prefetch is in flight delays it by its whole duration; one that begins between two prefetches delays the next one by
/// the rest of its duration. Afterwards all banks have to be opened again, which the precharges that this saves make up
/// for.
[[nodiscard]] Expected with_refresh(Program const& program, MachineConstants const& machine, Expected const& memory);

/// Factor by which refreshes lengthen a pipeline of blocks whose work is slower than its fetches: a refresh delays the
/// work by the time that it exceeds the blocks which are fetched ahead. 1 without refresh, and with one buffer, where
/// refreshes count as memory time.
[[nodiscard]] double refresh_stretch(Design const& design, HbmTiming const& timing, double work_per_block);

}  // namespace pimdse::models::dplena
