#pragma once

#include "models/umdam/design.hpp"
#include "models/umdam/range.hpp"
#include "models/umdam/stream_shape.hpp"
#include "sim/dram/command.hpp"

namespace pimdse::models::umdam {

/// Closed form of a long sequential transfer under one mapping, per channel.
struct StreamRate {
    Range cycles_per_burst;         ///< refresh included; the interval was calibrated against the cycle-level engine
    double channels = 1;            ///< that take part
    Range openings{1.0};            ///< of rows, per burst
    bool plateau = true;            ///< every cycle between refreshes carries data
};

/// A channel sees its bursts in order. It is never faster than its data bus, the row cycle of its busiest bank, the activation
/// window and its queue allow for the fewest openings; at worst nothing overlaps and every change of row is waited for. Between
/// them bank groups in view decide the spacing of bursts. Rules a to c of the specification's section 2.5. `engines` streams meet in
/// the same banks with different rows. `extent`: address bits the transfer covers.
[[nodiscard]] StreamRate stream_rate(sim::dram::Standard const& standard, sim::dram::Mapping const& mapping, StreamShape const& shape,
                                     Settings const& settings, int extent, sim::dram::Access access);

}  // namespace pimdse::models::umdam
