#pragma once

#include "models/umdam/range.hpp"
#include "models/umdam/streams/rate.hpp"
#include "models/umdam/system.hpp"
#include "sim/dram/simulate.hpp"
#include "sim/dram/timing/command.hpp"

#include <string>

namespace pimdse::models::umdam {

/// One sequential transfer that starts on an idle memory just after a refresh.
struct StreamRun {
    Range cycles;
    Range activations;  ///< all channels
};

/// The memory controller of a point.
[[nodiscard]] sim::dram::Options controller(Settings const& settings);

/// What NPU streams cost at a fidelity: closed form, stretches simulated and extrapolated, or every burst simulated.
/// Answers of simulations are remembered by mapping class, timing, controller and length, so that mappings that timing
/// cannot tell apart are simulated once.
class Streams {
  public:
    Streams(Prepared const& prepared, Design const& design, Fidelity fidelity);

    /// `bytes` in storage order; reads are shared by the point's engines, writes come from one.
    [[nodiscard]] StreamRun run(double bytes, sim::dram::Access access) const;

  private:
    /// What is sent, as far as the memory holds it, and by how many engines.
    struct Transfer {
        std::uint64_t bursts = 0;
        std::int64_t engines = 1;
    };
    [[nodiscard]] Transfer transfer(double bytes, sim::dram::Access access) const;
    [[nodiscard]] Range cycles_per_burst(StreamRate const& rate, double bytes, sim::dram::Access access) const;
    [[nodiscard]] StreamRun estimate(double bytes, sim::dram::Access access) const;
    [[nodiscard]] StreamRun simulate(double bytes, sim::dram::Access access) const;

    Prepared const& prepared_;
    Design const& design_;
    Fidelity fidelity_;
    std::string key_;     ///< all that a simulation depends on but length and direction
    double parts_ = 1.0;  ///< no_interleave: channels a transfer is cut over
};

}  // namespace pimdse::models::umdam
