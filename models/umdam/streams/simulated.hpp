#pragma once

#include "models/umdam/constants.hpp"
#include "models/umdam/design.hpp"
#include "sim/base/bounded.hpp"
#include "sim/dram/mapping_class.hpp"
#include "sim/dram/stream.hpp"
#include "sim/dram/timing/standard.hpp"

#include <compare>
#include <cstdint>
#include <vector>

namespace pimdse::models::umdam {

/// What is sent in order, and by how many engines, each its own part.
struct StreamTransfer {
    sim::dram::Access access = sim::dram::Access::read;
    std::uint64_t bursts = 0;
    std::int64_t engines = 1;
    auto operator<=>(StreamTransfer const&) const = default;
};

[[nodiscard]] sim::dram::Stream stream_of(StreamTransfer const& transfer, int burst_bytes);

/// All that a simulated stream depends on. Mappings that timing cannot tell apart are one.
struct SimulationKey {
    StreamTransfer transfer;
    sim::dram::Standard const* timing_set = nullptr;  ///< remembered by prepared.hpp, which has one of each
    sim::dram::Organisation organisation;
    std::int64_t queue_depth = 1;
    Scheduler scheduler = Scheduler::frfcfs_row_hit;
    DramRefresh refresh = DramRefresh::all_bank;
    sim::dram::MappingClass mapping;
    auto operator<=>(SimulationKey const&) const = default;
};

/// Cycles, and rows opened: exact.
struct SimulatedStream {
    sim::Bounded cycles, activations;
};

/// Streams that begin alike, up to names that timing does not see: a longest one, and how many bursts of it each of
/// them has (ascending, the longest last).
struct GrowingKey {
    SimulationKey longest;
    std::vector<std::uint64_t> bursts;
    auto operator<=>(GrowingKey const&) const = default;
};
/// All of them in one pass over the longest; the same as each on its own.
[[nodiscard]] std::vector<SimulatedStream> simulate_growing(GrowingKey const& key);

/// Every burst.
[[nodiscard]] SimulatedStream simulate_stream(SimulationKey const& key);

}  // namespace pimdse::models::umdam
