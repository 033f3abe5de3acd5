#pragma once

#include "models/umdam/constants.hpp"
#include "models/umdam/design.hpp"
#include "models/umdam/streams/shape.hpp"
#include "sim/base/bounded.hpp"
#include "sim/dram/mapping/mapping.hpp"
#include "sim/dram/timing/command.hpp"
#include "sim/dram/timing/standard.hpp"

namespace pimdse::models::umdam {

/// Closed form of a long sequential transfer under one mapping, per channel.
struct StreamRate {
    sim::Bounded cycles_per_burst;  ///< refresh included; the interval was calibrated against the cycle-level engine
    double channels = 1;            ///< that take part
    sim::Bounded openings{1.0};     ///< of rows, per burst
    bool plateau = true;            ///< every cycle between refreshes carries data
};

struct RatedStream {
    sim::dram::Standard const& standard;
    sim::dram::Mapping const& mapping;
    StreamShape const& shape;
    Design const& design;      ///< its controller and engines
    std::int64_t engines = 1;  ///< that read it, or one that writes
    int extent = 0;            ///< address bits covered
    sim::dram::Access access = sim::dram::Access::read;
};

/// A channel sees its bursts in order. It is never faster than its data bus, the row cycle of its busiest bank, the
/// activation window and its queue allow for the fewest openings; at worst nothing overlaps and every change of row is
/// waited for. Between them bank groups in view decide the spacing of bursts. `engines` streams meet in the same banks
/// with different rows; how often is a matter of addresses: see `walked_pace`.
[[nodiscard]] StreamRate stream_rate(RatedStream const& stream, StreamAllowances const& allowances);

}  // namespace pimdse::models::umdam
