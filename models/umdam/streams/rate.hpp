#pragma once

#include "models/umdam/constants.hpp"
#include "models/umdam/design.hpp"
#include "sim/base/bounded.hpp"
#include "sim/dram/mapping/mapping.hpp"
#include "sim/dram/timing/command.hpp"
#include "sim/dram/timing/standard.hpp"

namespace pimdse::models::umdam {

/// Closed form of a long sequential transfer under one mapping, per channel: what it usually takes and at most. What it
/// takes at least is `stream_low`.
struct StreamRate {
    sim::Bounded cycles_per_burst;   ///< refresh included
    double channels = 1, banks = 1;  ///< that take part; banks of a channel before the row changes
    sim::Bounded openings{1.0};      ///< of rows, per burst
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

}  // namespace pimdse::models::umdam
