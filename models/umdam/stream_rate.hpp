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

/// Closed form of a long sequential transfer under one mapping, per channel: usual duration and upper bound. The lower
/// bound is `stream_lower_bound`.
struct StreamRate {
    sim::Bounded cycles_per_burst;      ///< including refresh
    double channels = 1, banks = 1;     ///< number that take part; banks per channel before the row changes
    sim::Bounded row_activations{1.0};  ///< per burst
};

struct RatedStream {
    sim::dram::Standard const& standard;
    sim::dram::Mapping const& mapping;
    Design const& design;      ///< controller and engines
    std::int64_t engines = 1;  ///< number of engines that read; 1 for writes
    int extent = 0;            ///< address bits that the transfer spans
    sim::dram::Access access = sim::dram::Access::read;
    std::uint64_t part = 0;  ///< bytes from the beginning of an engine's part to the next one; 0: not known
};

/// Each channel serves its bursts in order. At worst nothing overlaps and every change of row is waited for; the bank
/// groups that the controller sees decide the spacing of bursts. `engines` streams may meet in the same banks with
/// different rows.
[[nodiscard]] StreamRate stream_rate(RatedStream const& stream, StreamAllowances const& allowances);

/// The first `bursts` bursts of the address space, each requested once, in any order.
struct WholeRange {
    sim::dram::Standard const& standard;
    sim::dram::Mapping const& mapping;
    sim::dram::Access access = sim::dram::Access::read;
    double bursts = 0.0;
    bool refreshed = true;
};

/// Lower bounds for any controller that obeys the timing set: cycles until the last burst is done, and row activations.
/// They count the least that the busiest channel, bank group, bank and rank must do (README.md, Lower bounds) and
/// contain no fitted number.
struct StreamLowerBound {
    double cycles = 0.0, row_activations = 0.0;
};
[[nodiscard]] StreamLowerBound stream_lower_bound(WholeRange const& range);

/// Lower bound of the time that refresh adds. A refresh is due every `interval` cycles from the start; 0: never.
struct Refreshed {
    double interval = 0.0;

    /// Least time for `work` cycles of work on a resource. Every refresh that ends before the work does keeps the
    /// resource idle for `pause` cycles. After the deadline of a refresh that has not begun, at most `late` cycles of
    /// work are done. The result is the time with the fewest refreshes that let the work end before the next one is
    /// due, or the time up to that deadline if the remaining work can be done after it.
    [[nodiscard]] double stretched(double work, double pause, double late) const {
        if (interval <= 0.0 || pause <= 0.0 || pause >= interval) return work;
        double const over = refreshes(work, pause), earlier = refreshes(work - late, pause);
        return earlier < over ? std::max(work, (earlier + 1.0) * interval) : work + over * pause;
    }

  private:
    /// The smallest k with work + k pause < (k + 1) interval.
    [[nodiscard]] double refreshes(double work, double pause) const {
        return work < interval ? 0.0 : std::floor((work - interval) / (interval - pause)) + 1.0;
    }
};

}  // namespace pimdse::models::umdam
