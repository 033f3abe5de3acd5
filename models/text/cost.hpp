#pragma once

#include "models/text/component_work.hpp"
#include "models/text/part.hpp"

#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace pimdse::models::text {

/// Numbers of the cost of one or several passes, which add up. `scaled_` amounts are work at a reduced clock, times the
/// share of its energy at nominal voltage that it takes.
struct PassNumbers {
    std::array<double, max_rules> seconds{};
    std::array<double, max_rules> alone{};           ///< s: lower bound per rule, at the rates of the data sheet
    std::array<double, no_component + 1> limited{};  ///< s, by the component that a rule waits for; last: waiting
    double min = 0.0;                                ///< s: lower bound: every component at its peak, all at once
    double max = 0.0;                                ///< s: upper bound: one after the other, times Hardware::slower
    double min_joules = 0.0;                         ///< J beyond the idle power: lower bound, whatever the clock
    double refused = 0.0;                            ///< operators that its units cannot compute
    std::array<double, max_units> operations{}, scaled_operations{};
    std::array<double, max_units> busy{};  ///< operations that the unit could do meanwhile, as ComponentWork::busy
    std::array<double, max_memories> read{}, scaled_read{}, written{}, scaled_written{};  ///< B
    CompulsoryWork compulsory;
    EnergyByRow unclocked{};  ///< J, whatever the clock: of units in banks, of parts, and of links
    double joules_below = 0.0, joules_above = 0.0;  ///< J, likewise
    double below = 0.0, above = 0.0;  ///< s that parts may take less and more at cycle level; below: proved
};

/// Cost of one or several passes.
struct PassCost : PassNumbers {
    std::vector<std::vector<double>> amounts;  ///< PartCost::amounts by unit
    [[nodiscard]] double bytes(std::size_t memory) const { return read[memory] + written[memory]; }
    [[nodiscard]] double total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }
    PassCost& operator+=(PassCost const& o) { return add(o, 1.0); }
    /// So many times this cost.
    PassCost& add(PassCost const& o, double times);
    [[nodiscard]] PassCost times(double n) const;
};

/// A pass while its operators are added.
struct PassSum {
    PassCost cost;
    std::vector<PassCost> alternatives;
    std::vector<std::pair<std::size_t, ComponentWork>> joined;  ///< of operators that share one roof, with their rule
    [[nodiscard]] PassCost& part(Rule const& rule) {
        return rule.position == no_component ? cost : alternatives[rule.position];
    }
};

/// Work of the components of a machine, and what it takes within the limit of power.
struct TimedWork {
    ComponentWork work;
    std::size_t limiter = no_component;            ///< the component that it waits for; the last: waiting
    double seconds = 0.0, alone = 0.0, max = 0.0;  ///< as in PassCost
    double factor = 1.0;                           ///< of the energy that scales with the voltage
    double joules = 0.0;                           ///< of links
};

/// An operator as a rule takes it, which is the same in every pass that has it.
struct TakenOperator {
    std::size_t rule = 0;
    OperatorWork op;
    TimedWork timed;               ///< only its work, if the rule joins operators
    std::optional<PartCost> part;  ///< instead of it, by the laws of a part
};

/// A pass without its attention, of which several passes may differ in that only.
struct BegunPass {
    PassSum sum;  ///< the operators before the first attention
    /// Those behind the attention of each kind of layers: of the next kind, and at last of the head.
    std::vector<std::vector<TakenOperator>> behind;
};

/// What passes cost on a machine at a point. The time of an operator is the longest of those of the components that
/// work beside each other, and the sum of the others. If an operator would draw more than the power limit, the logic
/// runs it at the highest clock at which it does not: its voltage follows, computation takes longer, and so do bytes
/// once the paths on the die are slower than a memory.
class CostLaw {
  public:
    /// References live longer than this.
    CostLaw(CompiledMachine const& machine, MachineFigures const& hardware, Fidelity fidelity)
        : machine_(machine), hardware_(hardware), works_(machine, hardware, fidelity) {}

    /// What does not depend on the keys of a pass. `layers`: layer_work of the request.
    [[nodiscard]] BegunPass begun(LlmRequest const& request, std::vector<LayerKindWork> const& layers,
                                  PassPositions const& positions, Phase phase, double logit) const;
    /// A pass that has begun with the same request, layers and phase. `attended`: one for each of the layers.
    [[nodiscard]] PassCost pass(BegunPass const& begun, LlmRequest const& request,
                                std::vector<LayerKindWork> const& layers, std::vector<SummedKeys> const& attended,
                                Phase phase) const;
    /// The same for a pass that is used once.
    [[nodiscard]] PassCost pass(LlmRequest const& request, std::vector<LayerKindWork> const& layers,
                                std::vector<SummedKeys> const& attended, PassPositions const& positions, Phase phase,
                                double logit) const;
    /// A pass that a part takes as a whole. Precondition: machine().whole(phase) is its rule.
    [[nodiscard]] PassCost whole(WholePass const& pass) const {
        auto const at = machine_.whole(pass.phase);
        PassCost cost;
        add(unit_of(machine_.rules()[at]).part->pass(pass), at, 0.0, cost);
        cost.min = min_seconds(cost.compulsory);
        cost.min_joules = min_joules(cost);
        return cost;
    }
    /// What a part takes by a rule; `waiting` [s] is added to it.
    void add(PartCost const& part, std::size_t rule, double waiting, PassCost& to) const;
    /// Some operators alone, one after the other or joined as the rules say.
    [[nodiscard]] PassCost operators(LlmRequest const& request,
                                     std::vector<std::pair<Operator, OperatorWork>> const& operators,
                                     Phase phase) const;
    /// Queries of a sequence that attention computes together, for `summed`. Of units that attend in a phase, one has
    /// such tiles at most.
    [[nodiscard]] QueryTile query_tile(Phase phase) const;
    /// Whether attention grows in steps with the keys: in tiles of an array, or rows and bursts of banks.
    [[nodiscard]] bool attends_in_steps(Phase phase) const;
    [[nodiscard]] CompiledMachine const& machine() const { return machine_; }
    [[nodiscard]] UnitFigures const& unit_of(Rule const& rule) const { return hardware_.units[rule.unit]; }
    /// J beyond the idle power, by row of the ledger.
    [[nodiscard]] EnergyByRow energy_of(PassCost const& cost) const {
        EnergyByRow joules{};
        for (std::size_t row = 0; row < joules.size(); ++row) joules[row] = joules_in(row, cost);
        return joules;
    }
    [[nodiscard]] double joules_in(std::size_t row, PassCost const& cost) const;
    [[nodiscard]] double joules(PassCost const& cost) const;

  private:
    [[nodiscard]] PassSum nothing() const;
    /// Calls to(rule) for each rule that takes something of an operator.
    template <class To>
    void each_rule(Operator op, Phase phase, To const& to) const;
    /// Adds an operator as all of its rules take it.
    void take(Operator op, OperatorWork const& work, LlmRequest const& request, Phase phase, PassSum& to) const;
    [[nodiscard]] std::optional<PartCost> on_part(Operator op, std::size_t rule, OperatorWork const& work,
                                                  LlmRequest const& request) const;
    /// Only its work, if the rule joins operators.
    [[nodiscard]] TimedWork timed(OperatorWork const& op, std::size_t rule, LlmRequest const& request) const;
    void add(OperatorWork const& op, std::size_t rule, PartCost const& part, PassSum& to) const;
    void add(OperatorWork const& op, std::size_t rule, TimedWork const& timed, LlmRequest const& request,
             PassSum& to) const;
    [[nodiscard]] PassCost finished(PassSum sum) const;
    /// A component that has work: its seconds at the nominal clock, and joules.
    struct Load {
        std::size_t component;
        std::size_t group;     ///< of components that work beside each other, from 0
        double seconds;        ///< of a unit inversely proportional to the clock, as those of a memory below
        double clock_share;    ///< this share of the clock; 0: they do not depend on it
        double fixed, scaled;  ///< J, independent of the voltage and at its nominal one
    };
    struct Loads {
        std::array<Load, no_component> all;  ///< the first `count` of them
        std::size_t count = 0, groups = 0;
        double waiting = 0.0, joules = 0.0;  ///< s; J of links
        [[nodiscard]] std::span<Load const> list() const { return {all.data(), count}; }
    };
    struct Clocked {
        double clock = 1.0, seconds = 0.0, joules = 0.0;
        double factor = 1.0;  ///< of the energy that scales with the voltage
    };
    [[nodiscard]] Loads loads_of(ComponentWork const& work) const;
    [[nodiscard]] Clocked run(Loads const& loads, double clock) const;
    [[nodiscard]] Clocked run_within_limit(Loads const& loads) const;
    /// Sets what its work takes.
    void set_times(TimedWork& timed) const;
    void add(TimedWork const& timed, std::size_t rule, PassCost& to) const;
    [[nodiscard]] double min_seconds(CompulsoryWork const& must) const;
    /// A lower bound of joules, whatever the clock and however long the work takes.
    [[nodiscard]] double min_joules(PassCost const& cost) const;
    /// Calls to(alternative) for those of a choice whose units can compute its operators.
    template <class To>
    void each_able(RuleChoice const& choice, std::vector<PassCost> const& alternatives, To const& to) const;
    /// min_seconds, whatever the choices from `choice` on take of their alternatives.
    [[nodiscard]] double min_seconds(CompulsoryWork const& must, std::vector<PassCost> const& alternatives,
                                     std::size_t choice) const;
    /// Adds what the choices take, and sets the lower bounds of all that they could.
    void add_chosen(std::vector<PassCost> const& alternatives, PassCost& cost) const;
    CompiledMachine const& machine_;
    MachineFigures const& hardware_;
    WorkLaw works_;
};

}  // namespace pimdse::models::text
