#pragma once

#include "models/umdam/constants.hpp"
#include "models/umdam/design.hpp"
#include "models/umdam/stream_rate.hpp"
#include "sim/base/bounded.hpp"
#include "sim/base/memo.hpp"
#include "sim/dram/family.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/mapping_class.hpp"
#include "sim/dram/options.hpp"
#include "sim/dram/standard.hpp"
#include "sim/dram/stream.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <span>
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
    sim::Bounded cycles, row_activations;
};

/// Streams that begin alike, up to names that timing does not see: a longest one, and how many bursts of it each of
/// them has (ascending, the longest last).
struct GrowingKey {
    SimulationKey longest;
    std::vector<std::uint64_t> bursts;
    auto operator<=>(GrowingKey const&) const = default;
};

/// One sequential transfer that starts on an idle memory just after a refresh.
struct StreamRun {
    sim::Bounded cycles;
    sim::Bounded row_activations;  ///< all channels
};

/// What was found of streams, for all points.
struct StreamMemory {
    sim::Memo<SimulationKey, SimulatedStream> simulated;
    sim::Memo<GrowingKey, std::map<std::uint64_t, SimulatedStream>> growing;  ///< by bursts
};

/// The memory of a point, as a stream meets it. What it refers to is remembered elsewhere and outlives it.
struct StreamSurroundings {
    Design const& design;
    sim::dram::Standard const& standard;    ///< with the point's organisation
    sim::dram::Standard const& timing_set;  ///< it was made from
    sim::dram::Mapping const& mapping;
};

/// What NPU streams cost at a fidelity: closed form, or every burst simulated.
/// Answers of simulations are remembered by mapping class, timing, controller and length, so that mappings that timing
/// cannot tell apart are simulated once.
class Streams {
  public:
    Streams(StreamMemory const& memory, MachineConstants const& constants, StreamSurroundings const& on,
            Fidelity fidelity);

    /// `bytes` in storage order; reads are shared by the point's engines, writes come from one.
    [[nodiscard]] StreamRun run(double bytes, sim::dram::Access access) const;

    /// Reads of these many bytes will be asked for: where each begins as the longest does, one pass over the longest
    /// answers all of them.
    void presimulate(std::span<double const> bytes);

  private:
    /// What is sent, as far as the memory holds it.
    [[nodiscard]] StreamTransfer transfer(double bytes, sim::dram::Access access) const;
    /// Found once for every length: matrices of one size meet again in every phase.
    [[nodiscard]] StreamRun const& estimated(double bytes, sim::dram::Access access) const;
    [[nodiscard]] StreamRun estimate(double bytes, sim::dram::Access access) const;
    [[nodiscard]] double longer(std::int64_t engines, int extent, sim::dram::Access access) const;
    [[nodiscard]] sim::Bounded cycles(StreamRate const& rate, double bytes, int extent, sim::dram::Access access) const;
    [[nodiscard]] sim::Bounded row_activations(StreamRate const& rate, double bytes, sim::Bounded const& cycles) const;
    [[nodiscard]] SimulatedStream const* presimulated(StreamTransfer const& asked) const;
    [[nodiscard]] StreamRun simulate(double bytes, sim::dram::Access access) const;

    StreamMemory const& memory_;
    StreamAllowances const& allowances_;
    StreamSurroundings on_;
    SimulationKey simulation_;  ///< all that a simulation depends on but the transfer
    std::vector<std::map<std::uint64_t, SimulatedStream> const*> foreseen_;  ///< reads, by bursts
    struct Estimated {
        double bytes = 0.0;
        sim::dram::Access access = sim::dram::Access::read;
        StreamRun run;
    };
    mutable std::vector<Estimated> estimated_;
    double parts_ = 1.0;  ///< no_interleave: channels a transfer is cut over
    bool refreshed_ = true;
    Fidelity fidelity_;
};

/// The memory controller of a point.
[[nodiscard]] sim::dram::Options controller(Design const& design);

}  // namespace pimdse::models::umdam
