#pragma once

#include "models/dplena/program/program.hpp"
#include "sim/base/memo.hpp"

#include <array>
#include <memory>
#include <vector>

namespace pimdse::models::dplena {

/// Mean ticks of a design's prefetches from running them through the HBM controller: all of a short stream (exact, if
/// prefetches do not overlap each other), else one period of a stream whose places repeat, else a sample spread over
/// it. What a stream has in common with others is remembered once: the key of a periodic one holds neither batch, block
/// length nor steps. Time between prefetches does not matter and is left out, unless there is refresh: then a short
/// program is run as a whole, a long serial one's gaps are averaged, and an overlapped one has none.
class Calibrations {
  public:
    /// `exact` tells that the mean is that of the very stream, mask included.
    struct Mean {
        double ticks = 0.0;  ///< of a prefetch in the stream
        bool exact = false;
        bool sampled = false;    ///< of a long stream without a short period
        double total = 0.0;      ///< cycles of the whole program, where it was run as a whole; else 0
        double continued = 0.0;  ///< cycles of a long overlapped program under refresh, whose beginning was run; else 0
        /// Ticks of whole preloads in the order of the stream (or of a period of it), each alone: none before it is
        /// under way. Null where a program fetches one prefetch at a time and waits for it.
        std::shared_ptr<std::vector<double> const> preloads;
    };
    [[nodiscard]] Mean mean_prefetch(Program const& program, Machine const& machine) const;
    /// Cycles of a long overlapped program, from its beginning.
    [[nodiscard]] double continued(Program const& program, Machine const& machine) const;

  private:
    using Key = std::array<std::int64_t, 21>;
    enum class Run { whole, beginning };
    /// The program itself, or its beginning, on the machine of cycle fidelity.
    [[nodiscard]] Mean own_run(Program const& program, Machine const& machine, Run run) const;
    sim::Memo<Key, Mean> memo_;
};

}  // namespace pimdse::models::dplena
