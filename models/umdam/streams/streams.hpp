#pragma once

#include "models/umdam/constants.hpp"
#include "models/umdam/design.hpp"
#include "models/umdam/streams/pace.hpp"
#include "models/umdam/streams/rate.hpp"
#include "models/umdam/streams/shape.hpp"
#include "models/umdam/streams/simulated.hpp"
#include "sim/base/bounded.hpp"
#include "sim/base/memo.hpp"
#include "sim/dram/mapping/mapping.hpp"
#include "sim/dram/timing/command.hpp"
#include "sim/dram/timing/standard.hpp"

#include <cstdint>

namespace pimdse::models::umdam {

/// One sequential transfer that starts on an idle memory just after a refresh.
struct StreamRun {
    sim::Bounded cycles;
    sim::Bounded activations;  ///< all channels
};

/// What was found of streams, for all points.
struct StreamMemory {
    sim::Memo<ShapeKey, StreamShape> shapes;
    sim::Memo<PaceKey, double> paces;
    sim::Memo<SimulationKey, SimulatedStream> simulated;
};

/// The memory of a point, as a stream meets it. What it refers to is remembered elsewhere and outlives it.
struct StreamSurroundings {
    Design const& design;
    sim::dram::Standard const& standard;    ///< with the point's organisation
    sim::dram::Standard const& timing_set;  ///< it was made from
    sim::dram::Mapping const& mapping;
};

/// What NPU streams cost at a fidelity: closed form, stretches simulated and extrapolated, or every burst simulated.
/// Answers of simulations are remembered by mapping class, timing, controller and length, so that mappings that timing
/// cannot tell apart are simulated once.
class Streams {
  public:
    Streams(StreamMemory const& memory, MachineConstants const& constants, StreamSurroundings const& on,
            Fidelity fidelity);

    /// `bytes` in storage order; reads are shared by the point's engines, writes come from one.
    [[nodiscard]] StreamRun run(double bytes, sim::dram::Access access) const;

  private:
    /// What is sent, as far as the memory holds it.
    [[nodiscard]] StreamTransfer transfer(double bytes, sim::dram::Access access) const;
    [[nodiscard]] sim::Bounded cycles_per_burst(StreamRate const& rate, StreamTransfer const& transfer) const;
    [[nodiscard]] StreamRun estimate(double bytes, sim::dram::Access access) const;
    [[nodiscard]] sim::Bounded cycles(StreamRate const& rate, double bytes, int extent,
                                      StreamTransfer const& transfer) const;
    [[nodiscard]] sim::Bounded activations(StreamRate const& rate, StreamShape const& shape, double bytes,
                                           sim::Bounded const& cycles) const;
    [[nodiscard]] StreamRun simulate(double bytes, sim::dram::Access access) const;

    StreamMemory const& memory_;
    StreamAllowances const& allowances_;
    SampleAllowances const& sample_allowances_;
    StreamSurroundings on_;
    SimulationKey simulation_;  ///< all that a simulation depends on but the transfer
    double parts_ = 1.0;        ///< no_interleave: channels a transfer is cut over
    bool refreshed_ = true;
};

}  // namespace pimdse::models::umdam
