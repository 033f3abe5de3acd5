#pragma once

#include "models/umdam/design.hpp"
#include "models/umdam/range.hpp"

namespace pimdse::models::umdam {

/// Closed form of a long sequential read by `engines` streams under one mapping.
struct StreamRate {
    Range bandwidth;               ///< B/s, all channels
    double bursts_per_opening = 1; ///< hits of one row opening
    bool plateau = true;           ///< every cycle between refreshes carries data
};

/// Bandwidth from the address bits: channels, groups and banks reached inside the controller's lookahead, the row cycle of the
/// bank that changes rows, and refresh. Exact to a few permille on the plateau (rules a to c of the specification's section
/// 2.5); elsewhere an estimate whose interval was calibrated against the cycle-level engine.
[[nodiscard]] StreamRate stream_rate(sim::dram::Standard const& standard, sim::dram::Mapping const& mapping, Settings const& settings, double bytes);

/// Cycles lost when a channel's bus turns from read to write and back.
[[nodiscard]] double turnaround_cycles(sim::dram::Standard const& standard);

}  // namespace pimdse::models::umdam
