#pragma once

#include "models/umdam/range.hpp"
#include "models/umdam/streams/shape.hpp"
#include "models/umdam/system.hpp"
#include "sim/dram/simulate.hpp"
#include "sim/dram/timing/command.hpp"

namespace pimdse::models::umdam {

/// Closed form of a long sequential transfer under one mapping, per channel.
struct StreamRate {
    Range cycles_per_burst;  ///< refresh included; the interval was calibrated against the cycle-level engine
    double channels = 1;     ///< that take part
    Range openings{1.0};     ///< of rows, per burst
    bool plateau = true;     ///< every cycle between refreshes carries data
};

/// A channel sees its bursts in order. It is never faster than its data bus, the row cycle of its busiest bank, the
/// activation window and its queue allow for the fewest openings; at worst nothing overlaps and every change of row is
/// waited for. Between them bank groups in view decide the spacing of bursts. `engines` streams meet in the same banks
/// with different rows; how often is a matter of addresses: see `walked_pace`. `extent`: address bits covered.
[[nodiscard]] StreamRate stream_rate(sim::dram::Standard const& standard, sim::dram::Mapping const& mapping,
                                     StreamShape const& shape, Settings const& settings, int extent,
                                     sim::dram::Access access);

/// Cycles per burst and channel of a stream, refresh left out: what the busiest resource of every
/// filling of the queues needs, over some parts of the stream. Roughly right; nothing is promised of it.
[[nodiscard]] double walked_pace(sim::dram::Standard const& standard, sim::dram::Mapping const& mapping,
                                 sim::dram::Stream const& stream, sim::dram::Options const& controller);

}  // namespace pimdse::models::umdam
