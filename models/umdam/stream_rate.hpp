#pragma once

#include "models/umdam/constants.hpp"
#include "models/umdam/design.hpp"
#include "sim/base/bounded.hpp"
#include "sim/dram/family.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/standard.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::umdam {

/// Closed form of a long sequential transfer under one mapping, per channel: what it usually takes and at most. What it
/// takes at least is `stream_lower_bound`.
struct StreamRate {
    sim::Bounded cycles_per_burst;      ///< refresh included
    double channels = 1, banks = 1;     ///< that take part; banks of a channel before the row changes
    sim::Bounded row_activations{1.0};  ///< of rows, per burst
};

struct RatedStream {
    sim::dram::Standard const& standard;
    sim::dram::Mapping const& mapping;
    Design const& design;      ///< its controller and engines
    std::int64_t engines = 1;  ///< that read it, or one that writes
    int extent = 0;            ///< address bits covered
    sim::dram::Access access = sim::dram::Access::read;
};

/// A channel sees its bursts in order. At worst nothing overlaps and every change of row is waited for; bank groups in
/// view decide the spacing of bursts. `engines` streams may meet in the same banks with different rows.
[[nodiscard]] StreamRate stream_rate(RatedStream const& stream, StreamAllowances const& allowances);

/// The first `bursts` bursts of the address space, each asked for once, in whatever order.
struct WholeRange {
    sim::dram::Standard const& standard;
    sim::dram::Mapping const& mapping;
    sim::dram::Access access = sim::dram::Access::read;
    double bursts = 0.0;
    bool refreshed = true;
};

/// What no controller that obeys the timing set stays below: cycles until the last burst is done, rows opened. Counts
/// what the busiest channel, bank group, bank and rank must do at least (README.md, Lower bounds); no fitted number.
struct StreamLowerBound {
    double cycles = 0.0, row_activations = 0.0;
};
[[nodiscard]] StreamLowerBound stream_lower_bound(WholeRange const& range);

/// What refresh adds at least. It comes due every `interval` cycles from the start; 0: never.
struct Refreshed {
    double interval = 0.0;

    /// A resource needs `work` cycles; every refresh that is over before the work is keeps it idle for `pause` cycles;
    /// behind the deadline of one that is not, at most `late` cycles of the work are done. The least time all of it
    /// takes: for the fewest refreshes that let it end before the next is due, or up to that deadline where the rest
    /// can be done behind it.
    [[nodiscard]] double stretched(double work, double pause, double late) const {
        if (interval <= 0.0 || pause <= 0.0 || pause >= interval) return work;
        double const over = refreshes(work, pause), earlier = refreshes(work - late, pause);
        return earlier < over ? std::max(work, (earlier + 1.0) * interval) : work + over * pause;
    }

  private:
    /// The fewest k with work + k pause < (k + 1) interval.
    [[nodiscard]] double refreshes(double work, double pause) const {
        return work < interval ? 0.0 : std::floor((work - interval) / (interval - pause)) + 1.0;
    }
};

}  // namespace pimdse::models::umdam
