#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/program/program.hpp"

namespace pimdse::models::dplena {

/// What rows that have to be opened add to all prefetches of logits together, and how much of it a refresh may take.
struct RowTicks {
    double ticks = 0.0, lost_by_a_refresh = 0.0;
};

/// What prefetches of a program take at least, in ticks, by dropping rules of the controller (README.md, Lows).
struct PrefetchLow {
    PrefetchLow(Program const& program, HbmTiming const& timing);

    double latency = 0.0;   ///< from the issue of a read to its end
    double bus = 0.0;       ///< between reads of a pseudo-channel
    double of_mask = 0.0;   ///< one prefetch of the mask
    double alone = 0.0;     ///< one prefetch of logits, from its presentation to its end
    double spread = 0.0;    ///< reads of one prefetch over the number of pseudo-channels
    double openings = 0.0;  ///< of all prefetches of logits together beyond `alone`: rows, if none are refreshed
    RowTicks refreshed;     ///< the same if they are
    double outstanding = 1.0;

    /// `prefetches` in a row, from the first one's presentation to the end of all.
    [[nodiscard]] double in_a_row(double prefetches) const;
    /// Ticks in which some of `prefetches` are under way.
    [[nodiscard]] double busy(double prefetches) const;
};

}  // namespace pimdse::models::dplena
