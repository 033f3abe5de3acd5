#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"

#include <cstdint>

namespace pimdse::models::dplena {

/// The clocks of the units and of the command bus of the HBM, as a reduced ratio. A cycle is one of the units, a tick
/// one of the HBM. The HBM takes commands at its own edges, and data wait for an edge of the units.
class Clocks {
  public:
    /// `frequency` in MHz; 0: that of a tick of HBM2 in `timing`.
    Clocks(std::int64_t frequency, HbmGeneration generation, HbmTiming const& timing);

    [[nodiscard]] bool are_equal() const { return units_ == hbm_; }
    /// The first tick that does not begin before cycle `cycle`, and the first cycle that does not begin before `tick`.
    [[nodiscard]] std::int64_t tick_of(std::int64_t cycle) const;
    [[nodiscard]] std::int64_t cycle_of(std::int64_t tick) const;
    [[nodiscard]] double cycles_per_tick() const { return static_cast<double>(units_) / static_cast<double>(hbm_); }

  private:
    std::int64_t units_, hbm_;
};

[[nodiscard]] Clocks clocks_of(Design const& design, HbmTiming const& timing);

/// The timing of a generation, in its ticks: what takes time in the arrays takes more of the shorter ticks of HBM2e;
/// bursts and their distances are ticks of the bus. No timer outlives a prefetch (README.md, Fidelity).
[[nodiscard]] HbmTiming timing_of(HbmTiming const& hbm2, HbmGeneration generation);

/// Clock of the units, and of the ticks of the HBM.
[[nodiscard]] sim::Frequency unit_clock(Design const& design, MachineConstants const& machine);
[[nodiscard]] sim::Frequency hbm_clock(Design const& design, MachineConstants const& machine);

/// Bandwidth of all channels at the rate of hbm_bus, without refresh.
[[nodiscard]] sim::Bandwidth channel_bandwidth(Design const& design, MachineConstants const& machine);
/// Upper bound of the bandwidth of the pins of all channels, for any `hbm_bus` and without refresh.
[[nodiscard]] sim::Bandwidth pin_bandwidth(Design const& design, MachineConstants const& machine);

}  // namespace pimdse::models::dplena
