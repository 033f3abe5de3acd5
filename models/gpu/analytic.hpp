#pragma once

#include "models/contract/architecture.hpp"
#include "models/gpu/constants.hpp"
#include "models/gpu/pass.hpp"

#include <array>
#include <cstddef>

namespace pimdse::models::gpu {

/// Energy of one board by cause, in addition to its idle power.
struct BoardEnergy {
    double arithmetic = 0.0, array = 0.0,
           interface = 0.0;               ///< J; array: memory dies; interface: between memory and processor
    double caches = 0.0, movement = 0.0;  ///< J; movement: on the die, from the memory to the units
    [[nodiscard]] double sum() const { return arithmetic + array + interface + caches + movement; }
    BoardEnergy& operator+=(BoardEnergy const& o);
    [[nodiscard]] BoardEnergy times(double n) const;
};

/// Cost of one or several passes on one board.
struct PassCost {
    std::array<double, group_names.size()> seconds{};
    std::array<double, 3> limited{};                 ///< s, by Limiter
    std::array<double, group_names.size()> alone{};  ///< s: lower bound per group, at the rates of the data sheet
    double min = 0.0;                                ///< s: lower bound: the same for all groups, with full overlap
    double max = 0.0;                                ///< s: upper bound: no overlap, times the slow-software factor
    double operations = 0.0, bytes = 0.0;
    BoardEnergy energy;
    [[nodiscard]] double total() const;
    PassCost& operator+=(PassCost const& o);
    [[nodiscard]] PassCost times(double n) const;
};

/// The roof of one board in the format of the design, under its power limit. If a group would draw more than the limit,
/// the processor runs it at the highest clock that does not: its voltage follows (Supply in
/// models/contract/technology.hpp), arithmetic takes longer, and so do bytes once the paths on the die are slower than
/// the memory.
class Roof {
  public:
    Roof(Design const& design, MachineConstants const& machine);
    [[nodiscard]] PassCost cost_of(PassWork const& work) const;
    [[nodiscard]] double limit() const { return limit_; }  ///< W

  private:
    struct Clocked {
        double arithmetic = 0.0, memory = 0.0, seconds = 0.0;  ///< s; seconds: of the slowest, including waiting
        BoardEnergy energy;
    };
    [[nodiscard]] BoardEnergy energy_of(BoardWork const& work, double clock) const;
    /// The work at `clock`, a fraction of the nominal clock.
    [[nodiscard]] Clocked run(BoardWork const& work, double clock) const;
    [[nodiscard]] bool within_limit(Clocked const& run) const;
    [[nodiscard]] Clocked run_within_limit(BoardWork const& work) const;
    void add(BoardWork const& work, std::size_t group, PassCost& to) const;

    double peak_, attained_peak_, bandwidth_, attained_bandwidth_;
    BoardEnergy per_;  ///< J per operation, per byte of the memory, per byte sent
    Supply supply_;
    double memory_clock_, idle_, limit_, slow_software_;
};

/// Cost of a request: `first` until its first token (or the first step of its first block), `rest` after that.
struct Result {
    PassCost first, rest;
    Design design;
    BoardConstants board;
    double limit = 0.0;  ///< power limit of one board, W
    sim::Data footprint;
    sim::Power host;  ///< power of the host as long as the boards work

    [[nodiscard]] Estimate ttft() const;
    [[nodiscard]] Estimate latency() const;
    [[nodiscard]] Estimate itl() const;
    [[nodiscard]] Estimate energy() const;
    [[nodiscard]] Estimate power() const;
    /// Mean power of the passes until the first token, and after it; does not apply if there are none.
    [[nodiscard]] Estimate prefill_power() const;
    [[nodiscard]] Estimate decode_power() const;
    [[nodiscard]] Estimate peak_power() const;
    [[nodiscard]] Estimate package_power() const;  ///< maximum power of one memory package over both phases
    [[nodiscard]] double host_energy() const;      ///< J
    [[nodiscard]] std::vector<PhaseLimit> limits() const;
    [[nodiscard]] double idle_energy() const;  ///< J
    [[nodiscard]] PassCost all() const;
};

[[nodiscard]] Result analytic(Design const& design, MachineConstants const& machine);

}  // namespace pimdse::models::gpu
