#pragma once

#include "models/dplena/memo.hpp"
#include "models/dplena/program.hpp"

#include <array>

namespace pimdse::models::dplena {

/// Mean ticks of a design's prefetches from running them through the HBM controller: all of a short stream (exact, if
/// prefetches do not overlap each other), else one period of a stream whose places repeat, else a sample spread over it. What
/// a stream has in common with others is remembered once: the key of a periodic one holds neither batch, block length nor
/// steps. Time between prefetches does not matter and is left out, unless there is refresh: then a short serial program is run
/// as a whole, a long one's gaps are averaged, and an overlapped one has none.
class Calibrations {
  public:
    static constexpr std::size_t classes = 16;
    using Spread = std::array<double, classes>;
    static constexpr Spread even_spread() {
        Spread spread{};
        spread.fill(1.0);
        return spread;
    }
    /// `exact` tells that the mean is that of the very stream, mask included.
    struct Mean {
        double ticks = 0.0;
        bool exact = false;
        /// Fetch times of whole preloads over their mean, from the shortest to the longest, where fetches of a pipeline wait for
        /// nothing but each other; all 1 elsewhere.
        Spread spread = even_spread();
        bool sampled = false;  ///< of a long stream without a short period
    };
    [[nodiscard]] Mean mean_prefetch(Program const& program, Machine const& machine) const;

  private:
    using Key = std::array<std::int64_t, 21>;
    [[nodiscard]] Mean whole_run(Program const& program, Machine const& machine) const;
    Memo<Key, Mean> memo_;
};

}  // namespace pimdse::models::dplena
