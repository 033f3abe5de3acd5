#pragma once

#include "models/contract/architecture.hpp"
#include "models/gpu/constants.hpp"
#include "models/gpu/pass.hpp"

#include <array>
#include <cstddef>

namespace pimdse::models::gpu {

/// Where the joules of one board go beside its idle power.
struct BoardEnergy {
    double arithmetic = 0.0, array = 0.0, interface = 0.0;  ///< J; of the memory's dies and of the way to the processor
    double caches = 0.0, movement = 0.0, links = 0.0;       ///< J; movement: on the die, from the memory to the units
    [[nodiscard]] double sum() const { return arithmetic + array + interface + caches + movement + links; }
    BoardEnergy& operator+=(BoardEnergy const& o);
    [[nodiscard]] BoardEnergy times(double n) const;
};

/// A stretch of time on one board.
struct PassCost {
    std::array<double, group_names.size()> seconds{};
    std::array<double, 3> limited{};                 ///< s, by Limiter
    std::array<double, group_names.size()> alone{};  ///< s: at the least, at the figures of the data sheet
    double min = 0.0;                                ///< s: the same of everything, beside everything else
    double max = 0.0;                                ///< s: nothing beside anything else, by a slower program
    double operations = 0.0, bytes = 0.0;
    BoardEnergy energy;
    [[nodiscard]] double total() const;
    PassCost& operator+=(PassCost const& o);
    [[nodiscard]] PassCost times(double n) const;
};

/// What one board attains in the design's format, under its limit of power. Where a group would draw more than the
/// limit, the processor runs it at the highest clock that does not: its voltage follows (supply.hpp), arithmetic takes
/// longer, and so do bytes once the paths on the die are slower than the memory.
class Roof {
  public:
    Roof(Design const& design, MachineConstants const& machine);
    [[nodiscard]] PassCost cost_of(PassWork const& work) const;
    [[nodiscard]] double limit() const { return limit_; }  ///< W

  private:
    struct Clocked {
        double arithmetic = 0.0, memory = 0.0, seconds = 0.0;  ///< s; seconds: of the slowest, waiting included
        BoardEnergy energy;
    };
    [[nodiscard]] BoardEnergy energy_of(BoardWork const& work, double clock) const;
    /// At `clock`, a share of the nominal one.
    [[nodiscard]] Clocked run(BoardWork const& work, double clock) const;
    [[nodiscard]] bool within_limit(Clocked const& run) const;
    [[nodiscard]] Clocked run_within_limit(BoardWork const& work) const;
    void add(BoardWork const& work, std::size_t group, PassCost& to) const;

    double peak_, attained_peak_, bandwidth_, attained_bandwidth_;
    BoardEnergy per_;  ///< operation, byte of the memory, byte sent
    Supply supply_;
    double memory_clock_, idle_, limit_, slow_software_;
};

/// What a request costs: until its first token (or the first step of its first block), and after.
struct Result {
    PassCost first, rest;
    Design design;
    BoardConstants board;
    double limit = 0.0;  ///< W of one board
    sim::Data footprint;
    sim::Power host;  ///< drawn as long as the boards work

    [[nodiscard]] Estimate ttft() const;
    [[nodiscard]] Estimate latency() const;
    [[nodiscard]] Estimate itl() const;
    [[nodiscard]] Estimate energy() const;
    [[nodiscard]] Estimate power() const;
    /// Mean power of the passes until the first token and after it; of what does not happen it does not apply.
    [[nodiscard]] Estimate prefill_power() const;
    [[nodiscard]] Estimate decode_power() const;
    [[nodiscard]] Estimate peak_power() const;
    [[nodiscard]] Estimate package_power() const;  ///< most that one package of memory draws in either phase
    [[nodiscard]] double host_energy() const;      ///< J
    [[nodiscard]] std::vector<PhaseLimit> limits() const;
    [[nodiscard]] double idle_energy() const;  ///< J, all boards
    [[nodiscard]] PassCost all() const;
};

[[nodiscard]] Result analytic(Design const& design, MachineConstants const& machine);

}  // namespace pimdse::models::gpu
