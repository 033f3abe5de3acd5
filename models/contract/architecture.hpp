#pragma once

#include "models/contract/assumptions.hpp"
#include "models/contract/cycle_key.hpp"
#include "models/contract/ledger.hpp"
#include "models/contract/value.hpp"
#include "sim/base/bounded.hpp"
#include "sim/base/quantity_text.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::models {

/// What a request may say, under the same names for every architecture; docs/spaces.md has their meanings.
/// `precision` is no parameter of a machine but the least its metric of that name may be.
inline constexpr std::string_view precision_key = "precision";
inline constexpr std::array<std::string_view, 11> workload_keys{"llm",          "kernel",      "elements",   "input",
                                                                "output",       "batch",       "generation", "steps",
                                                                "block_length", "model_cache", precision_key};

/// How an architecture is asked what its own parameters have no word for.
struct Workload {
    std::vector<std::pair<std::string, std::string>>
        implied;  ///< {"scope", "end_to_end"}: a parameter's value that goes with requests to an llm
    std::vector<std::pair<std::string, std::string>>
        only;  ///< {"batch", "1"}: a key that is no parameter, and the one value that is served
};

// The contract between a search and a model. An architecture is a pure function from a point to metrics at a chosen
// fidelity; everything it may read besides the point is in Inputs, which is made once and shared by all threads.

/// How a cost is found, never what is modelled. analytic: closed form; hybrid: a representative piece simulated cycle
/// by cycle, the rest composed; cycle: all of it simulated.
enum class Fidelity : std::uint8_t { analytic, hybrid, cycle };
inline constexpr std::array<std::string_view, 3> fidelity_names{"analytic", "hybrid", "cycle"};
[[nodiscard]] constexpr std::string_view name_of(Fidelity fidelity) {
    return fidelity_names[static_cast<std::size_t>(fidelity)];
}

/// A choice that is accepted by name but not modelled yet, and the sentence that says so.
struct NotBuilt {
    std::string choice;  ///< as the user writes it; "*" = any value but the default
    std::string sentence;
};

/// One knob of an architecture. Parameters are told apart by position, so evaluation looks nothing up by name.
struct Parameter {
    std::string name;
    Kind kind = Kind::integer;
    std::string unit;     ///< "ns", "B", "tokens"; "" for plain numbers, choices and flags
    Value default_value;  ///< the default
    std::string meaning;
    std::vector<std::string> choices;  ///< Kind::choice: the names, index = Value::as_choice
    /// Kind::choice with texts beyond `choices` (a DRAM mapping): returns "" if the text is acceptable, else why not.
    /// Accepted texts are appended to `choices` before Inputs are prepared.
    std::function<std::string(std::string const&)> accepts;
    std::vector<std::string> items;  ///< if not empty, a space may say { permute = [...] } of exactly these
    double lower = 0.0,
           upper = 0.0;     ///< hard limits of a number (in `unit`, or SI); both 0: none. Beyond them: InputError
    bool assumed = false;   ///< the default rests on an assumption of ours
    bool resource = false;  ///< more of it is more hardware: area or idle_power rises, all else equal
    std::vector<std::string> aliases;  ///< other names (`prefill` for `input`)
    std::vector<NotBuilt> not_built;
};
using Parameters = std::vector<Parameter>;

/// What a metric needs of one parameter of a point to apply: a choice, any choice but one, or more than a number.
struct Need {
    std::string parameter;
    std::string choice;
    bool other_than = false;  ///< any choice but `choice`
    double more_than = 0.0;   ///< where `choice` is empty
};
[[nodiscard]] inline Need needs(std::string parameter, std::string choice) {
    return {std::move(parameter), std::move(choice)};
}
[[nodiscard]] inline Need needs_other_than(std::string parameter, std::string choice) {
    return {std::move(parameter), std::move(choice), true};
}
[[nodiscard]] inline Need needs_more_than(std::string parameter, double number) {
    return {std::move(parameter), "", false, number};
}
[[nodiscard]] bool is_met(Need const& need, Parameter const& parameter, Value const& value);
/// "scope = end_to_end", "llm other than none", "output > 1".
[[nodiscard]] std::string text_of(Need const& need);

enum class Sense : std::uint8_t { minimize, maximize, none };

/// One answer of an architecture; `unit` is SI ("s", "J", "W", "m2", "B", "B/s") or a plain count ("cycles", "1").
struct Metric {
    std::string name;
    std::string unit;
    std::string meaning;
    Sense better = Sense::minimize;
    bool assumed = false;  ///< rests on an assumption of ours, stated in the architecture's README
    /// Where one of these is not met the metric does not apply; where all are it does. Without any, it may not apply
    /// for what only the architecture knows.
    std::vector<Need> needs{};
};
using MetricList = std::vector<Metric>;

/// A value and where the cycle-level answer must lie, in SI.
using Estimate = sim::Bounded;
using sim::Bound;

/// One Estimate per declared metric, in declared order. An answer that does not apply is NaN with Bound::none.
using Metrics = std::vector<Estimate>;

/// The design cannot exist: an answer, not an error. `rule` is a short stable name, `reason` carries the numbers.
struct Infeasible {
    std::string rule;
    std::string reason;
};

/// How a defect showed: the code threw, a feasible answer was not a number, took too long, or took its process with it.
enum class DefectKind : std::uint8_t { exception, not_a_number, timeout, crash };

/// A bug of ours, caught at the edge of the task.
struct Defect {
    std::string what;
    DefectKind kind = DefectKind::exception;
};

using Outcome = std::variant<Metrics, Infeasible, Defect>;

/// One value per parameter, in declared order; a view.
using Point = std::span<Value const>;

/// What stays fixed while points vary. `parameters` is the architecture's table with all accepted texts appended to its
/// choices; `prepared` is what the architecture made of it (constants, model descriptions, timing sets, memo).
struct Inputs {
    Parameters parameters;
    std::shared_ptr<void const> prepared;
    ModelOptions options{};  ///< the file of the user's own constants and the assumptions it was prepared with

    template <class T>
    [[nodiscard]] T const& as() const {
        return *static_cast<T const*>(prepared.get());
    }
};

/// Where time, energy and area of a point go; each list sums to the point's total of that kind. Energy and area go
/// along the rows of the ledger.
struct Share {
    std::string what;     ///< "prefill/weights", "dram_array/prefill"
    double amount = 0.0;  ///< seconds, joules or square metres
};
/// What limits a phase of the request: the unit or memory that is busy longest, and what it attains of its roof.
struct PhaseLimit {
    std::string phase;      ///< "prefill", "decode", "transfer"
    std::string limiter;    ///< "bank bandwidth", "matrix unit", "launches"
    double attained = 0.0;  ///< in SI
    double roof = 0.0;      ///< in SI, above 0
    std::string unit;       ///< SI unit of both: "B/s", "FLOP/s", "1" for shares of time
};
struct Breakdown {
    std::vector<Share> time, energy, area;
    std::vector<PhaseLimit> limits{};  ///< one per phase, in order of time; empty where an architecture does not say
    std::vector<Share> silicon{};      ///< by process; see explained()
};
/// An outcome and where it goes, of one evaluation; nowhere if it is no Metrics.
struct Explained : Breakdown {
    Outcome outcome;
};

/// One bar of a timeline, for a Chrome trace.
struct TraceEvent {
    std::string what, unit;  ///< operation and the unit that does it
    double start = 0.0;      ///< s
    double duration = 0.0;   ///< s
};
using Trace = std::vector<TraceEvent>;

/// What a space asks of a parameter with { classes = "FAMILY", key = [...] }: values worth telling apart, not every
/// one.
struct ClassRequest {
    std::size_t parameter = 0;
    std::string family;                                       ///< "" = of { permute = [...] }: counts only, no texts
    std::map<std::string, std::vector<std::string>> details;  ///< the table's other keys
};

/// What became of the candidates of a request before anything was simulated.
struct Classes {
    std::vector<std::string> texts;                             ///< one value per class, as read_value takes it
    std::vector<std::pair<std::string, std::uint64_t>> counts;  ///< {"candidates", 5040}, {"distinct", 912} ...
    std::vector<std::pair<std::size_t, Value>> decided;  ///< parameters the class decides: the one value they take
};

/// What each parameter takes in a space, in declared order; empty where the space does not say (the default).
using AxisValues = std::vector<std::vector<Value>>;

/// How the better bound of a metric goes at analytic level, the low of what is minimised and the high of what is
/// maximised, when a numeric parameter grows and all else stays: never down, never up, or not at all. Only of bounds;
/// the cycle level need not be monotone.
enum class Slope : std::uint8_t { up, down, flat };
struct MonotoneLowerBound {
    std::string_view parameter, metric;
    Slope slope = Slope::flat;
};

/// What the key of an architecture is made of, for tests that take it apart.
struct KeyParts {
    std::vector<KeyDeclaration> (*declarations)() = nullptr;
    /// One part per parameter, in declared order. The declaration at `widened` counts as if its condition held
    /// everywhere; no_declaration: none does, and the maker's key is cycle_key.
    CycleKeyMaker (*make)(Inputs const&, Point, std::size_t widened) = nullptr;
    /// The declaration that decides each part; no_declaration: the value enters as it is.
    std::vector<std::size_t> (*deciding)(Inputs const&, Point) = nullptr;
};

/// A row of the catalogue. Plain function pointers: an architecture cannot carry state.
struct Architecture {
    std::string_view name;
    std::string_view summary;
    /// Raised with every change of its results (tests/end_to_end/test_results_versions.py notices one): results of two
    /// versions are not mixed in a file.
    int results_version = 1;
    std::vector<Fidelity> fidelities;  ///< those that are built, coarsest first
    Parameters (*parameters)();
    MetricList (*metrics)();
    /// Reads constants, with a file of the user's own if one is named and under the assumptions, and the files its
    /// parameters' choices name. Throws InputError.
    std::shared_ptr<void const> (*prepare)(Parameters const&, ModelOptions const& options);
    /// Pure; thread-safe; no I/O. `fidelity` is one of `fidelities`.
    Outcome (*evaluate)(Inputs const&, Point, Fidelity);
    /// The same, and where it goes.
    Explained (*explain)(Inputs const&, Point, Fidelity);
    Trace (*trace)(Inputs const&, Point, Fidelity) = nullptr;  ///< optional
    /// Optional: enumerates the classes of a parameter's values within the rest of the space. Throws InputError.
    Classes (*classes)(Parameters const&, ClassRequest const&, AxisValues const&) = nullptr;
    /// What it serves of a request beyond its own parameters.
    Workload workload{};
    /// What it says of every row of the ledger.
    Ledger (*ledger)() = nullptr;
    /// Points with equal keys have equal cycle-level metrics; a point that cannot be built may have any key. Pure.
    CycleKey (*cycle_key)(Inputs const&, Point) = nullptr;
    /// How that key is made; of an architecture whose key is a KeyTable.
    KeyParts key_parts{};
    /// Where better analytic bounds are known to be monotone with these constants; what is not listed is unknown.
    std::vector<MonotoneLowerBound> (*monotone_lower_bounds)(Inputs const&) = nullptr;
    /// Optional: what is known with the shipped constants and not with these, a sentence each.
    std::vector<std::string> (*not_known)(Inputs const&) = nullptr;
};

/// The default value of every parameter, in declared order.
[[nodiscard]] std::vector<Value> default_point(Parameters const& parameters);

/// Position of the parameter with this name or alias; -1 if there is none.
[[nodiscard]] int find_parameter(Parameters const& parameters, std::string_view name);
[[nodiscard]] int find_metric(MetricList const& metrics, std::string_view name);

/// A table with the named choices bound and prepared: the usual way to make Inputs.
[[nodiscard]] Inputs prepare(Architecture const& architecture, Parameters parameters, ModelOptions options = {});

/// evaluate, with anything thrown turned into a Defect (TooLong into one of kind timeout) and non-finite feasible
/// objectives left to the caller.
[[nodiscard]] Outcome evaluate_safely(Architecture const& architecture, Inputs const& inputs, Point point,
                                      Fidelity fidelity);

/// What an architecture says of a point and where it goes, with the silicon by process: logic, logic beside the banks
/// of a DRAM process, and memory dies, m2. Their sum is the metric `silicon`. Throws what `explain` throws.
[[nodiscard]] Explained explained(Architecture const& architecture, Inputs const& inputs, Point point,
                                  Fidelity fidelity);

}  // namespace pimdse::models
