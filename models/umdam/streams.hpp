#pragma once

#include "models/contract/fidelity.hpp"
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
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::models::umdam {

/// A sequential transfer by `engines` engines, each with its own part.
struct StreamTransfer {
    sim::dram::Access access = sim::dram::Access::read;
    std::uint64_t bursts = 0;
    std::int64_t engines = 1;
    auto operator<=>(StreamTransfer const&) const = default;
};

[[nodiscard]] sim::dram::Stream stream_of(StreamTransfer const& transfer, int burst_bytes);

/// Everything that a simulated stream depends on. Mappings that timing cannot distinguish are equal.
struct SimulationKey {
    StreamTransfer transfer;
    sim::dram::Standard const* timing_set = nullptr;  ///< owned by Prepared, which has one object per timing set
    sim::dram::Organisation organisation;
    std::int64_t queue_depth = 1;
    Scheduler scheduler = Scheduler::frfcfs_row_hit;
    DramRefresh refresh = DramRefresh::all_bank;
    sim::dram::MappingClass mapping;
    auto operator<=>(SimulationKey const&) const = default;
};

/// One sequential transfer that starts on an idle memory just after a refresh.
struct StreamRun {
    sim::Bounded cycles;
    sim::Bounded row_activations;  ///< all channels
};

/// Streams that begin identically, up to names that timing cannot distinguish: the longest stream, and the number of
/// its bursts that each stream has (ascending, the longest last).
struct GrowingKey {
    SimulationKey longest;
    std::vector<std::uint64_t> bursts;
    auto operator<=>(GrowingKey const&) const = default;
};

/// Cached results of streams, shared by all points.
struct StreamMemory {
    sim::Memo<SimulationKey, StreamRun> simulated;
    sim::Memo<GrowingKey, std::map<std::uint64_t, StreamRun>> growing;  ///< by number of bursts
};

/// The memory of a point as a stream sees it. The referenced objects are owned elsewhere and outlive it.
struct StreamSurroundings {
    Design const& design;
    sim::dram::Standard const& standard;    ///< with the point's organisation
    sim::dram::Standard const& timing_set;  ///< the timing set that `standard` was made from
    sim::dram::Mapping const& mapping;
    bool knows_parts = false;  ///< whether estimates follow the banks in which the parts of engines begin
};

/// Cost of NPU streams at a fidelity: closed form, or simulation of every burst. Results of simulations are cached by
/// mapping class, timing, controller and length, so that mappings that timing cannot distinguish are simulated once.
class Streams {
  public:
    Streams(StreamMemory const& memory, MachineConstants const& constants, StreamSurroundings const& on,
            Fidelity fidelity);

    /// A transfer of `bytes` in storage order. Reads are distributed over the point's engines; writes come from one
    /// engine.
    [[nodiscard]] StreamRun run(double bytes, sim::dram::Access access) const;

    /// Announces reads of these lengths: where they begin identically to the longest, one pass over the longest yields
    /// the results of all.
    void presimulate(std::span<double const> bytes);

  private:
    /// The transfer, limited to the capacity of the memory.
    [[nodiscard]] StreamTransfer transfer(double bytes, sim::dram::Access access) const;
    /// Computed once per length, because matrices of the same size occur in every phase.
    [[nodiscard]] StreamRun const& estimated(double bytes, sim::dram::Access access) const;
    [[nodiscard]] StreamRun estimate(double bytes, sim::dram::Access access) const;
    /// Rates of transfers of so many engines and bits, and the least cycles of larger ones.
    struct Rated {
        std::int64_t engines = 1;
        int extent = 0;
        sim::dram::Access access = sim::dram::Access::read;
        std::uint64_t part = 0;
        StreamRate rate{};
        double longer = 0.0;
    };
    [[nodiscard]] Rated const& rated(RatedStream const& stream) const;
    [[nodiscard]] double longer(RatedStream rated) const;
    [[nodiscard]] sim::Bounded cycles(StreamRate const& rate, double bytes, int extent, sim::dram::Access access) const;
    [[nodiscard]] sim::Bounded row_activations(StreamRate const& rate, double bytes, sim::Bounded const& cycles) const;
    [[nodiscard]] StreamRun const* presimulated(StreamTransfer const& requested) const;
    [[nodiscard]] StreamRun simulate(double bytes, sim::dram::Access access) const;

    StreamMemory const& memory_;
    StreamAllowances const& allowances_;
    StreamSurroundings on_;
    SimulationKey simulation_;  ///< everything that a simulation depends on except the transfer
    std::vector<std::map<std::uint64_t, StreamRun> const*> presimulated_;  ///< reads, by number of bursts
    struct Estimated {
        double bytes = 0.0;
        sim::dram::Access access = sim::dram::Access::read;
        StreamRun run;
    };
    mutable std::vector<Estimated> estimated_;
    mutable std::vector<Rated> rated_;
    double parts_ = 1.0;  ///< no_interleave: number of channels that a transfer is divided over
    bool refreshed_ = true;
    Fidelity fidelity_;
};

/// The streams of an NPU, which reads with all its engines, or with one where that is faster. Parts that lie apart for
/// the engines (columns in banks, channels without interleaving) are read by all of them.
class NpuStreams {
  public:
    NpuStreams(StreamMemory const& memory, MachineConstants const& constants, StreamSurroundings const& on,
               Fidelity fidelity);
    /// As Streams::run.
    [[nodiscard]] StreamRun run(double bytes, sim::dram::Access access) const;
    void presimulate(std::span<double const> bytes);

  private:
    Streams all_;
    std::shared_ptr<Design const> single_;  ///< the design with one engine, to which `one_` refers
    std::optional<Streams> one_;
};

/// The memory controller of a point.
[[nodiscard]] sim::dram::Options controller(Design const& design);

}  // namespace pimdse::models::umdam
