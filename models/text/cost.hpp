#pragma once

#include "models/text/hardware.hpp"
#include "models/text/pass.hpp"
#include "models/text/request.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace pimdse::models::text {

/// Work of one or several operators for the components of a machine.
struct ComponentWork {
    std::size_t unit = no_component;
    double operations = 0.0;  ///< of the unit
    double busy = 0.0;        ///< operations that it could do in the time that it needs for them
    std::array<double, max_memories> read{}, written{};  ///< B of each memory
    double waiting = 0.0;                                ///< s
};

/// Cost of one or several passes. Work that is clocked down counts in `scaled_` amounts with its share of the energy at
/// nominal voltage.
struct PassCost {
    std::array<double, max_rules> seconds{};
    std::array<double, max_rules> alone{};           ///< s: lower bound per rule, at the rates of the data sheet
    std::array<double, no_component + 1> limited{};  ///< s, by the component that a rule waits for; last: waiting
    double min = 0.0;                                ///< s: lower bound: every component at its peak, all at once
    double max = 0.0;                                ///< s: upper bound: one after the other, times Hardware::slower
    std::array<double, max_units> operations{}, scaled_operations{};
    std::array<double, max_memories> read{}, scaled_read{}, written{}, scaled_written{};  ///< B
    [[nodiscard]] double bytes(std::size_t memory) const { return read[memory] + written[memory]; }
    [[nodiscard]] double total() const;
    PassCost& operator+=(PassCost const& o);
    [[nodiscard]] PassCost times(double n) const;
};

/// What passes cost on a machine at a point. The time of an operator is the longest of those of the components that
/// work beside each other, and the sum of the others. If an operator would draw more than the power limit, the logic
/// runs it at the highest clock at which it does not: its voltage follows, computation takes longer, and so do bytes
/// once the paths on the die are slower than a memory.
class CostLaw {
  public:
    /// References live longer than this.
    CostLaw(CompiledMachine const& machine, MachineFigures const& hardware) : machine_(machine), hardware_(hardware) {}

    /// `layers`: layer_work of the request. `attended`: one for each of them.
    [[nodiscard]] PassCost pass(LlmRequest const& request, std::vector<LayerKindWork> const& layers,
                                std::vector<SummedKeys> const& attended, PassPositions const& positions, Phase phase,
                                double logit) const;
    /// The same for a pass over every sequence of the request.
    [[nodiscard]] PassCost pass(LlmRequest const& request, std::vector<LayerKindWork> const& layers,
                                PassShape const& shape, Phase phase, double logit) const;
    /// J beyond the idle power, by row of the ledger.
    [[nodiscard]] EnergyByRow energy_of(PassCost const& cost) const;
    [[nodiscard]] double joules(PassCost const& cost) const;

  private:
    struct Clocked {
        double seconds = 0.0, unit = 0.0;
        std::array<double, max_memories> memory{};
        double factor = 1.0;  ///< of energy
        double joules = 0.0;
    };
    [[nodiscard]] Clocked run(ComponentWork const& work, double clock) const;
    [[nodiscard]] bool within_limit(Clocked const& run) const;
    [[nodiscard]] Clocked run_within_limit(ComponentWork const& work) const;
    void add(ComponentWork const& work, std::size_t rule, PassCost& to) const;
    [[nodiscard]] ComponentWork work_of(OperatorWork const& op, Rule const& rule, LlmRequest const& request) const;
    /// How an array computes a product: how often it reads its inputs and its weights, so that sums of its rows and
    /// columns stay in its buffer; each array has columns of its own. Staged: inputs are read again from another
    /// memory.
    struct Tiling {
        double inputs = 1.0, weights = 1.0;
        bool staged = false;
        double seconds = 0.0;  ///< that memories are busy, which is least
    };
    [[nodiscard]] Tiling tiling(OperatorWork const& product, UnitFigures const& array, double element) const;
    [[nodiscard]] double seconds_per_byte(std::size_t memory, bool written) const;
    void add_activations(OperatorWork const& op, UnitFigures const& unit, double element, ComponentWork& to) const;

    CompiledMachine const& machine_;
    MachineFigures const& hardware_;
};

}  // namespace pimdse::models::text
