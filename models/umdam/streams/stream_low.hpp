#pragma once

#include "sim/dram/mapping/mapping.hpp"
#include "sim/dram/timing/command.hpp"
#include "sim/dram/timing/standard.hpp"

namespace pimdse::models::umdam {

/// The first `bursts` bursts of the address space, each asked for once, in whatever order.
struct WholeRange {
    sim::dram::Standard const& standard;
    sim::dram::Mapping const& mapping;
    sim::dram::Access access = sim::dram::Access::read;
    double bursts = 0.0;
    bool refreshed = true;
};

/// What no controller that obeys the timing set stays below: cycles until the last burst is done, rows opened. Counts
/// what the busiest channel, bank group, bank and rank must do at least (README.md, Lows); no fitted number.
struct StreamLow {
    double cycles = 0.0, activations = 0.0;
};
[[nodiscard]] StreamLow stream_low(WholeRange const& range);

}  // namespace pimdse::models::umdam
