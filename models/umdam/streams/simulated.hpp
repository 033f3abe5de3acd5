#pragma once

#include "models/umdam/constants.hpp"
#include "models/umdam/design.hpp"
#include "sim/base/bounded.hpp"
#include "sim/dram/mapping_class.hpp"
#include "sim/dram/stream.hpp"
#include "sim/dram/timing/standard.hpp"

#include <compare>
#include <cstdint>

namespace pimdse::models::umdam {

/// What is sent in order, and by how many engines, each its own part.
struct StreamTransfer {
    sim::dram::Access access = sim::dram::Access::read;
    std::uint64_t bursts = 0;
    std::int64_t engines = 1;
    auto operator<=>(StreamTransfer const&) const = default;
};

[[nodiscard]] sim::dram::Stream stream_of(StreamTransfer const& transfer, int burst_bytes);

/// The timing set with other channels, ranks, banks and rows.
[[nodiscard]] sim::dram::Standard with_organisation(sim::dram::Standard standard,
                                                    sim::dram::Organisation const& organisation);

/// All that a simulated stream depends on. Mappings that timing cannot tell apart are one.
struct SimulationKey {
    StreamTransfer transfer;
    Fidelity fidelity = Fidelity::cycle;
    sim::dram::Standard const* timing_set = nullptr;  ///< remembered by prepared.hpp, which has one of each
    sim::dram::Organisation organisation;
    std::int64_t queue_depth = 1;
    Scheduler scheduler = Scheduler::frfcfs_row_hit;
    DramRefresh refresh = DramRefresh::all_bank;
    sim::dram::MappingClass mapping;
    auto operator<=>(SimulationKey const&) const = default;
};

/// Cycles, and rows opened. Its intervals are those of simulations in part.
struct SimulatedStream {
    sim::Bounded cycles, activations;
};

/// Every burst at fidelity cycle; otherwise stretches, extrapolated.
[[nodiscard]] SimulatedStream simulate_stream(SimulationKey const& key, SampleAllowances const& allowances);

}  // namespace pimdse::models::umdam
