#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/assumptions.hpp"
#include "models/contract/breakdown.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/constant_rules.hpp"
#include "models/contract/fidelity.hpp"
#include "models/contract/flow_graph.hpp"
#include "models/contract/ledger.hpp"
#include "models/contract/metric.hpp"
#include "models/contract/outcome.hpp"
#include "models/contract/parameter.hpp"
#include "models/contract/proofs.hpp"
#include "models/contract/request_result.hpp"
#include "models/contract/standby.hpp"
#include "models/contract/weight_layout.hpp"
#include "models/text/pass.hpp"
#include "models/text/request.hpp"
#include "sim/base/bounded.hpp"
#include "sim/serving/step.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {
class Constants;       // models/contract/constants.hpp
struct ServiceEngine;  // models/contract/service_engine.hpp
}  // namespace pimdse::models

/// Parts of a machine file whose laws are C++: what one must say so that batches, steps, services, energy, metrics,
/// ledger, bounds and keys follow as for any other component (docs/own_machine.md, "A part of one's own in C++").
namespace pimdse::models::text {

struct Result;  // result.hpp

/// What an operator, or a whole pass, takes on a part.
struct PartCost {
    sim::Bounded seconds;  ///< within the interval of those at cycle level; the lower end is proved
    EnergyByRow joules{};  ///< beyond what it draws at rest; `idle_units` below 0: what it does not draw as it works
    double read = 0.0;     ///< B of the memory of weights, which take no time but cost the joules of that memory
    double joules_below = 0.0, joules_above = 0.0;  ///< J in sum that it may take less and more at cycle level
    std::vector<double> amounts{};  ///< what else adds up over passes, in an order of its own: for its metrics
};

/// Equal sequences of a pass.
struct PartSequences {
    PassShape shape;
    double count = 1.0;
};
/// A pass through the whole model, for a part that takes passes as a whole. Tokens (PassShape::decodes) at several
/// contexts: the mean of passes in which every sequence decodes a token at each of them.
struct WholePass {
    LlmRequest const& request;
    Phase phase;
    std::span<PartSequences const> sequences;
    PassPositions positions;
    bool is_step = false;   ///< of an engine; otherwise of a request, whose sequences are equal
    bool is_later = false;  ///< after the prompt of a request, or after the first denoising step of a block
    bool begins = false;    ///< sequences begin: the first pass of a request, or of a step with parts of prompts
};

/// A part at a point and a fidelity. Pure and safe to share between threads; a part whose keys break a rule of its own
/// is asked for that rule only.
class PartLaw {
  public:
    PartLaw() = default;
    PartLaw(PartLaw const&) = delete;
    PartLaw& operator=(PartLaw const&) = delete;
    virtual ~PartLaw() = default;

    /// All executions of an operator in a pass, in the layers of one kind. Precondition: its kind takes it.
    [[nodiscard]] virtual PartCost cost(Operator, OperatorWork const&, LlmRequest const&) const { return {}; }
    /// Precondition: its kind takes whole passes.
    [[nodiscard]] virtual PartCost pass(WholePass const&) const { return {}; }

    /// What a request takes beside its passes, until its first token and after that (of a part that takes whole passes,
    /// if it takes the later ones). Steps of an engine have none of it: a part that has some says so in
    /// broken_step_rule.
    struct BesidePasses {
        PartCost first, rest;
    };
    [[nodiscard]] virtual BesidePasses beside_passes(LlmRequest const&) const { return {}; }
    [[nodiscard]] virtual std::optional<Infeasible> broken_step_rule() const { return std::nullopt; }
    /// A step in which it takes all passes, with its joules beyond those at rest in sum: in less time than pass(),
    /// which is asked if this is nullopt. `least`: lower ends.
    [[nodiscard]] virtual std::optional<sim::serving::StepCost> step(sim::serving::StepWork const& work,
                                                                     bool least) const {
        (void)work, (void)least;
        return std::nullopt;
    }

    /// As a vector unit, which elementwise operators find that it does not take: FLOP/s, and W at work and as it waits.
    struct Vector {
        double rate = 0.0, working = 0.0, waiting = 0.0;
    };
    [[nodiscard]] virtual Vector vector() const { return {}; }
    /// m2 of logic by row of the ledger, alone or with a name after a slash ("sram/lines"); m2 of memory dies.
    [[nodiscard]] virtual std::vector<Share> areas() const { return {}; }
    [[nodiscard]] virtual double memory_area() const { return 0.0; }
    /// W of all of it as it waits, by row of the ledger.
    virtual void add_rest(Standby& to) const { (void)to; }
    /// Sets what an engine keeps of sequences, if it keeps them itself. Precondition: broken_rule is nullopt.
    virtual void set_engine(ServiceEngine& engine) const { (void)engine; }
    /// B in memory of a logit that it samples; nullopt: as the file says.
    [[nodiscard]] virtual std::optional<double> logit_bytes() const { return std::nullopt; }
    /// B of a weight where it has a width of its own, to which that of the request is nearest; nullopt: of the request.
    [[nodiscard]] virtual std::optional<double> weight_bytes(LlmRequest const&) const { return std::nullopt; }
    /// Adds what it does in the time of a phase, and what limits it; false: that is its seconds. It may say for what it
    /// takes the joules of a row, and what units do not draw of their power at rest ("idle_units/UNIT", below 0).
    virtual bool explain(std::string const& phase, std::vector<double> const& amounts, Breakdown& to) const {
        (void)phase, (void)amounts, (void)to;
        return false;
    }
    /// Bars of its own, of an operator that is asked alone; none: those of what explain() says.
    [[nodiscard]] virtual Trace trace() const { return {}; }
    /// Says which of its own units do what explain() says, if it has several.
    virtual void name_units(std::span<TraceEvent> bars) const { (void)bars; }
    /// Formats of weights and of what they are multiplied by ("int4 x fp16"), if they are not those of the request.
    [[nodiscard]] virtual std::string products() const { return ""; }
    /// Where it stores weights. Preconditions: its kind shows layouts; broken_rule is nullopt.
    [[nodiscard]] virtual WeightLayouts weight_layouts() const { return {}; }
    /// The data flow of a layer, and what a network does for it, as the text of a program (docs/simulators.md). Throw
    /// InputError if the request has none. Preconditions: its kind shows layers; broken_rule is nullopt.
    [[nodiscard]] virtual FlowGraph flow_graph() const { return {}; }
    [[nodiscard]] virtual std::string network_program() const { return {}; }
    /// Why it cannot exist, or serve the request.
    [[nodiscard]] virtual std::optional<Infeasible> broken_rule(LlmRequest const&) const { return std::nullopt; }
    /// Adds to common metrics what it knows beside times, joules, areas and power at rest: bytes that it keeps of the
    /// request in memories of its own (footprint, B), the power of its packages (W), bounds. Of a request that yields
    /// tokens.
    virtual void refine(RequestResult& common, Result const& request) const { (void)common, (void)request; }
    /// Values of PartKind::metrics in declared order: of a request that takes `result`, from which the common metrics
    /// are `common`.
    [[nodiscard]] virtual Metrics metrics(Result const& result, RequestResult const& common) const {
        (void)result, (void)common;
        return {};
    }
    /// An operator that is all that is asked of the machine, instead of passes through a model.
    struct Alone {
        Operator op = Operator::sampling;
        OperatorWork work;
        double footprint = 0.0;    ///< B in memory
        bool reads_model = false;  ///< anything of the model counts
    };
    /// Nothing: passes are asked for.
    [[nodiscard]] virtual std::optional<Alone> alone(LlmRequest const&) const { return std::nullopt; }
    /// Denoising steps of a block that it needs of the `steps` that are asked for.
    [[nodiscard]] virtual std::int64_t needed_steps(std::int64_t steps) const { return steps; }
};

/// A number or a choice of a part at a point, as its keys have them.
using PartValues = std::vector<Value>;

/// What stands in the cycle key for a parameter that sets a key of a part and nothing else, instead of its value. The
/// first row of a key whose condition holds counts. Precondition of its functions: the part breaks no rule. A key may
/// be a parameter of the request, too; its row counts if the part makes a machine alone.
struct PartKeyRow {
    std::string_view key, because;
    bool (*when)(PartLaw const&) = nullptr;                   ///< nullptr: always
    Value (*instead)(PartLaw const&) = nullptr;               ///< if it is one value
    void (*write)(CycleKeyMaker&, PartLaw const&) = nullptr;  ///< if it is not; neither: the value has no effect
};

/// Collects rows for PartKind::key_rows, with the words of KeyTable.
class PartKeyRows {
  public:
    using Part = PartLaw const&;
    void irrelevant(std::string_view key, bool (*when)(Part), std::string_view because) {
        rows_.push_back({key, because, when});
    }
    void irrelevant(std::initializer_list<std::string_view> keys, bool (*when)(Part), std::string_view because) {
        for (auto const key : keys) irrelevant(key, when, because);
    }
    void stands_for(std::string_view key, bool (*when)(Part), Value (*instead)(Part), std::string_view because) {
        rows_.push_back({key, because, when, instead});
    }
    void stands_for(std::string_view key, Value (*instead)(Part), std::string_view because) {
        stands_for(key, nullptr, instead, because);
    }
    void writes(std::string_view key, void (*write)(CycleKeyMaker&, Part), std::string_view because) {
        rows_.push_back({key, because, nullptr, nullptr, write});
    }
    [[nodiscard]] std::vector<PartKeyRow> const& rows() const { return rows_; }

  private:
    std::vector<PartKeyRow> rows_;
};

/// A space of a machine, for a part that knows which values of a key have the same effect in it.
struct PartSpace {
    Parameters const& parameters;  ///< of the machine
    AxisValues const& values;      ///< of each of them
    void const* prepared;          ///< what its kind has prepared
    /// Parameters that move one of these keys of the part, or that have such a name.
    std::function<std::vector<std::size_t>(std::span<std::string_view const> keys)> moving;
    std::function<std::shared_ptr<PartLaw const>(Point)> at;
};

/// A kind of unit whose laws are C++. One row of models/part_kinds.cpp.
struct PartKind {
    std::string_view name;
    /// Keys of its section. A number may be an expression; a choice is a text, or the name of a parameter in braces
    /// with such choices: "{mode}". `parameters` of a section makes keys parameters of the machine, as they stand here.
    Parameters keys{};
    std::vector<Operator> takes{};             ///< operators by laws of its own; none: whole passes
    bool is_vector = false;                    ///< it computes other elementwise operators as a vector unit does
    bool denoises_any_model = false;           ///< also one that was made to generate token by token
    bool built_for_batch = false;              ///< its memories are as large as `batch` sequences need
    bool sized_by_model = false;               ///< its area and its power at rest grow with the model
    bool shows_layers = false;                 ///< it has a flow graph and a program of a network
    bool shows_layouts = false;                ///< it says where it stores weights
    AreaProcess process = AreaProcess::logic;  ///< of its areas but memory dies
    int results_version = 1;                   ///< raised with every change of its results
    /// The constants that it reads, as shipped: a machine file may have others of the same names.
    Constants (*constants)() = nullptr;
    ConstantRules (*constant_rules)() = nullptr;
    /// Constants of which the dimension does not tell how they move metrics.
    std::vector<std::string> (*constants_without_slopes)() = nullptr;
    /// What is the same at all points. `keys`: its own, with the choices that parameters of the machine have for them
    /// beyond its list. Throws InputError.
    std::shared_ptr<void const> (*prepare)(Constants const&, Parameters const& keys, Assumptions const&) = nullptr;
    /// The part at a point; `prepared` and the models of the request live longer.
    std::shared_ptr<PartLaw const> (*at)(void const* prepared, PartValues const&, LlmRequest const&,
                                         Fidelity) = nullptr;
    /// Metrics of machines that have such a part, after those of every text machine, in the order of printing; none is
    /// common. A row of the name of one that every text machine has takes its place.
    MetricList metrics{};
    /// What is particular to common metrics of machines that have it, instead of what is so of others.
    std::vector<MetricNote> metric_notes{};
    /// The key that says what is asked of the machine, and its choice with which these are passes through a model
    /// (PartLaw::alone). Where a parameter sets it, requests of a model imply that choice, and metrics of them need it.
    std::string_view asked_by{}, of_models{};
    /// Rows of its keys; a key without one enters as it is.
    std::vector<PartKeyRow> key_rows{};
    /// Optional: Architecture::classes of a machine whose passes it takes.
    Classes (*classes)(PartSpace const&, ClassRequest const&) = nullptr;
    /// How optimistic bounds move with keys of it and with parameters of the request: of machines that it makes alone;
    /// if it takes operators, with keys of it of all machines.
    std::vector<MonotoneGroup> directions{};
    /// Its entries of the ledger; `none`: no machine that it makes alone has anything of this kind.
    std::vector<LedgerEntry> energy{}, area{};

    /// Such a part keeps weights, keys and values itself: in memory dies, if it has some (PartLaw::memory_area), and
    /// not in those of the file.
    [[nodiscard]] bool takes_passes() const { return takes.empty(); }
    /// What a key may be besides a number: its choices, "false" and "true" of a flag. Empty: a number.
    [[nodiscard]] static std::vector<std::string> texts_of(Parameter const& key) {
        return key.kind == Kind::flag ? std::vector<std::string>{"false", "true"} : key.choices;
    }
    [[nodiscard]] bool takes_operator(Operator op) const { return std::ranges::find(takes, op) != takes.end(); }
};

}  // namespace pimdse::models::text
