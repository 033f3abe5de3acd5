#pragma once

#include "models/umdam/design.hpp"
#include "models/umdam/range.hpp"
#include "sim/dram/command.hpp"

namespace pimdse::models::umdam {

/// Closed form of a long sequential transfer under one mapping, per channel.
struct StreamRate {
    Range cycles_per_burst;         ///< refresh included; the interval was calibrated against the cycle-level engine
    double channels = 1;            ///< that take part
    double bursts_per_opening = 1;  ///< hits of one row opening
    bool plateau = true;            ///< every cycle between refreshes carries data
};

/// From the address bits: a channel sees its bursts in order; between two changes of row it passes `banks` banks with `hits` bursts
/// each. At best data flow at the spacing the bank groups in view allow and rows open behind them; at worst groups alternate
/// too slowly and every opening is waited for. Rules a to c of the specification's section 2.5. `engines` streams meet in the
/// same banks with different rows. `extent`: address bits the transfer covers.
[[nodiscard]] StreamRate stream_rate(sim::dram::Standard const& standard, sim::dram::Mapping const& mapping, Settings const& settings,
                                     int extent, sim::dram::Access access);

}  // namespace pimdse::models::umdam
