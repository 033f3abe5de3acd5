#pragma once

#include "models/contract/assumptions.hpp"
#include "models/contract/cycle_key.hpp"
#include "models/contract/ledger.hpp"
#include "models/contract/request_result.hpp"
#include "models/contract/service_engine.hpp"
#include "models/contract/value.hpp"
#include "sim/base/bounded.hpp"
#include "sim/base/quantity_text.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::models {

/// Keys of a request, with the same names for every architecture; docs/spaces.md explains them. `precision` is not a
/// parameter of a machine but the lower limit of its metric of that name.
inline constexpr std::string_view precision_key = "precision";
inline constexpr std::array<std::string_view, 14> workload_keys{
    "llm",   "kernel",       "elements",    "input", "output",     "batch",     "generation",
    "steps", "block_length", "model_cache", "draft", "acceptance", "draft_llm", precision_key};

/// How an architecture serves keys of a request that are not parameters of its own.
struct Workload {
    std::vector<std::pair<std::string, std::string>>
        implied;  ///< {"scope", "end_to_end"}: value of a parameter that a request to an llm implies
    std::vector<std::pair<std::string, std::string>>
        only;  ///< {"batch", "1"}: a key that is not a parameter, and the only value that is served
};

// The contract between a search and a model. An architecture is a pure function from a point and a fidelity to metrics.
// Everything else that it may read is in Inputs, which is made once and shared by all threads.

/// How costs are determined; it never changes what is modelled. analytic: closed form; cycle: everything is simulated.
/// hybrid: of a search, the exact one; no level of an architecture (upmem had it until 0.1; old result files have it).
enum class Fidelity : std::uint8_t { analytic, hybrid, cycle };
inline constexpr std::array<std::string_view, 3> fidelity_names{"analytic", "hybrid", "cycle"};
[[nodiscard]] constexpr std::string_view name_of(Fidelity fidelity) {
    return fidelity_names[static_cast<std::size_t>(fidelity)];
}

/// A choice that is accepted by name but not modelled yet, with a sentence for the message.
struct NotBuilt {
    std::string choice;  ///< as the user writes it; "*" = any value but the default
    std::string sentence;
};

/// A parameter of an architecture. Parameters are identified by position, so evaluation needs no lookup by name.
struct Parameter {
    std::string name;
    Kind kind = Kind::integer;
    std::string unit;  ///< "ns", "B", "tokens"; "" for plain numbers, choices and flags
    Value default_value;
    std::string meaning;
    std::vector<std::string> choices;  ///< Kind::choice: the names, index = Value::as_choice
    /// Kind::choice with texts beyond `choices` (a DRAM mapping): returns "" if the text is acceptable, otherwise the
    /// reason. Accepted texts are appended to `choices` before Inputs are prepared.
    std::function<std::string(std::string const&)> accepts;
    std::vector<std::string> items;  ///< if not empty, a space may contain { permute = [...] } of exactly these
    double lower = 0.0,
           upper = 0.0;     ///< hard limits of a number (in `unit`, or SI); both 0: none. Beyond them: InputError
    bool assumed = false;   ///< the default is an assumption of this project
    bool resource = false;  ///< a larger value is more hardware: area or idle_power rises, all else equal
    std::vector<std::string> aliases;  ///< other names (`prefill` for `input`)
    std::vector<NotBuilt> not_built;
    std::string technology{};  ///< row of technology.toml that is the default under view = deployed; "": of its name
};
using Parameters = std::vector<Parameter>;

/// Condition on one parameter of a point for a metric to apply: a choice, any choice except one, or more than a number.
struct Need {
    std::string parameter;
    std::string choice;
    bool other_than = false;  ///< any choice except `choice`
    double more_than = 0.0;   ///< used if `choice` is empty
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
/// Text of a condition: "scope = end_to_end", "llm other than none", "output > 1".
[[nodiscard]] std::string text_of(Need const& need);

enum class Sense : std::uint8_t { minimize, maximize, none };

/// What a metric that is not common is for several devices (models/chips). device: that of one device, the one with the
/// LM head, while it works; all_devices: the sum; request: the sum over devices and micro-batches; latency, itl: the
/// common metric; per_second, per_joule: the amount of the batch over latency or energy; energy_delay: their product.
enum class OverDevices : std::uint8_t {
    device,
    all_devices,
    request,
    latency,
    itl,
    per_second,
    per_joule,
    energy_delay
};

/// A metric of an architecture; `unit` is SI ("s", "J", "W", "m2", "B", "B/s") or a plain count ("cycles", "1").
struct Metric {
    std::string name;
    std::string unit;
    std::string meaning;
    Sense better = Sense::minimize;
    bool assumed = false;  ///< rests on an assumption of this project, see the README of the architecture
    /// The metric applies to a point if and only if all these conditions are met. If the list is empty, it may still
    /// not apply for a reason that only the architecture knows.
    std::vector<Need> needs{};
    OverDevices over_devices = OverDevices::device;
};
/// The same metric, composed like this for several devices.
[[nodiscard]] inline Metric over(OverDevices devices, Metric metric) {
    metric.over_devices = devices;
    return metric;
}
using MetricList = std::vector<Metric>;

/// One Estimate per declared metric, in declared order. The value of a metric that does not apply is NaN with
/// Bound::none.
using Metrics = std::vector<Estimate>;

/// The result for a design that cannot exist; it is not an error. `rule` is a short stable name, `reason` has the
/// numbers.
struct Infeasible {
    static constexpr double unmeasured = std::numeric_limits<double>::infinity();
    std::string rule;
    std::string reason;
    /// By how much it breaks the conditions of its space, all together (dse/space/violation.hpp); `unmeasured` for a
    /// rule of the machine.
    double violation = unmeasured;
};

/// Kind of a defect: the code threw an exception, a feasible result was not a number, the evaluation took too long, or
/// it killed its process.
enum class DefectKind : std::uint8_t { exception, not_a_number, timeout, crash };

/// A bug in pimdse, caught at the border of the task.
struct Defect {
    std::string what;
    DefectKind kind = DefectKind::exception;
};

using Outcome = std::variant<Metrics, Infeasible, Defect>;

/// One value per parameter, in declared order; a view.
using Point = std::span<Value const>;

/// Everything that is the same for all points. `parameters` is the table of the architecture with all accepted texts
/// appended to its choices; `prepared` is what the architecture made from it (constants, model descriptions, timing
/// sets, memo).
struct Inputs {
    Parameters parameters;
    std::shared_ptr<void const> prepared;
    ModelOptions options{};  ///< the file with the user's own constants and the assumptions that `prepared` is based on
    std::shared_ptr<void const> group{};  ///< what Architecture::prepare_group made

    template <class T>
    [[nodiscard]] T const& as() const {
        return *static_cast<T const*>(prepared.get());
    }
};

/// Part of the time, energy or area of a point; the parts sum to the total of the point. Parts of energy and area are
/// named by the rows of the ledger.
struct Share {
    std::string what;     ///< "prefill/weights", "dram_array/prefill"
    double amount = 0.0;  ///< seconds, joules or square metres
};
/// Bottleneck of a phase of the request: the unit or memory that is busy longest, and the rate that it attains of its
/// roof.
struct PhaseLimit {
    std::string phase;      ///< "prefill", "decode", "transfer"
    std::string limiter;    ///< "bank bandwidth", "matrix unit", "launches"
    double attained = 0.0;  ///< in SI
    double roof = 0.0;      ///< in SI, above 0
    std::string unit;       ///< SI unit of both: "B/s", "FLOP/s", "1" for shares of time
};
struct Breakdown {
    std::vector<Share> time, energy, area;
    std::vector<PhaseLimit> limits{};  ///< one per phase, in order of time; empty if not reported
    std::vector<Share> silicon{};      ///< by process; see explained()
};
/// An outcome of one evaluation with its breakdown, which is empty if the outcome is not Metrics.
struct Explained : Breakdown {
    Outcome outcome;
};

/// A bar of a timeline, for a Chrome trace.
struct TraceEvent {
    std::string what, unit;  ///< operation, and the unit that performs it
    double start = 0.0;      ///< s
    double duration = 0.0;   ///< s
};
using Trace = std::vector<TraceEvent>;

/// A request for the classes of the values of a parameter, { classes = "FAMILY", key = [...] } in a space: only values
/// that differ in their effect.
struct ClassRequest {
    std::size_t parameter = 0;
    std::string family;                                       ///< "" = from { permute = [...] }: counts only, no texts
    std::map<std::string, std::vector<std::string>> details;  ///< other keys of the table
};

/// The classes of a request, and the number of candidates after each step, before any simulation.
struct Classes {
    std::vector<std::string> texts;                             ///< one value per class, as accepted by read_value
    std::vector<std::pair<std::string, std::uint64_t>> counts;  ///< {"candidates", 5040}, {"distinct", 912} ...
    std::vector<std::pair<std::size_t, Value>> decided;  ///< parameters that the class decides, with their only value
};

/// Values of each parameter in a space, in declared order; empty if the space does not list any (the default applies).
using AxisValues = std::vector<std::vector<Value>>;

/// The parameter of every architecture whose machines can serve a model together: their number.
inline constexpr std::string_view devices_name = "devices";

/// Direction of the optimistic bound of a metric at analytic level (the lower bound of a minimised metric, the upper
/// bound of a maximised one) when a numeric parameter grows and everything else stays: never down, never up, or
/// constant. This holds for bounds only; the cycle level need not be monotone.
enum class Slope : std::uint8_t { up, down, flat };
struct MonotoneLowerBound {
    std::string_view parameter, metric;
    Slope slope = Slope::flat;
    bool one_device = false;  ///< holds for designs with one device only
};

/// Parts of the cycle key of an architecture, for tests that take it apart.
struct KeyParts {
    std::function<std::vector<KeyDeclaration>()> declarations;
    /// Makes a key with one part per parameter, in declared order. The declaration at `widened` counts as if its
    /// condition held everywhere; with no_declaration, none does and the key is cycle_key.
    std::function<CycleKeyMaker(Inputs const&, Point, std::size_t widened)> make;
    /// The declaration that decides each part; no_declaration: the value itself enters the key.
    std::function<std::vector<std::size_t>(Inputs const&, Point)> deciding;
};

class Constants;       // constants.hpp
struct WeightLayouts;  // weight_layout.hpp
class ModelList;       // models/llm/model_list.hpp
namespace chips {
struct ChipLink;  // models/chips/links.hpp
}

/// What models/chips must know of an architecture to serve a model with several of its machines.
struct OneOfMany {
    /// The models behind the choices of `llm` that follow `first_model`.
    std::function<ModelList const&(Inputs const&)> models;
    std::size_t first_model = 0;
    /// Power of a host, in W: energy and mean power contain it as long as a machine works; 0 if it is not counted.
    std::function<double(Inputs const&)> host;
    bool shares_hosts = true;  ///< several machines have one host; otherwise each has its own
    /// The link of a machine if `link` is "own", for groups of `devices`.
    std::function<std::variant<chips::ChipLink, Infeasible>(Inputs const&, Point, std::int64_t devices)> own_link;
    /// Metrics of a machine that do not depend on the model that it serves: those of a group rise with its devices.
    std::vector<std::string_view> resources{};
};

/// A file that a machine was read from, with its content at that time.
struct SourceFile {
    std::string path;  ///< absolute, without "." and ".."
    std::string text;
    bool operator==(SourceFile const&) const = default;
};

/// An entry of the catalogue, a machine that is a text file, or a pair. Its functions are pure: what they own never
/// changes.
struct Architecture {
    std::string_view name;
    std::string_view summary;
    /// Must be raised with every change of the results (checked by tests/end_to_end/test_results_versions.py). A file
    /// does not mix results of two versions.
    int results_version = 1;
    std::vector<Fidelity> fidelities;  ///< the implemented ones, coarsest first
    std::function<Parameters()> parameters;
    std::function<MetricList()> metrics;
    /// Reads constants under the assumptions, with the user's own file if one is named, and the files that the choices
    /// of its parameters name. Throws InputError.
    std::function<std::shared_ptr<void const>(Parameters const&, ModelOptions const& options)> prepare;
    /// What the machine does for the request of a point; fills the breakdown if there is one. Pure; thread-safe; no
    /// I/O. `fidelity` is one of `fidelities`. Not set where bills are all there is (economy::parts).
    std::function<std::variant<RequestResult, Infeasible>(Inputs const&, Point, Fidelity, Breakdown*)> request;
    /// Its metrics, and the same with the breakdown: by answering() if `request` is set.
    std::function<Outcome(Inputs const&, Point, Fidelity)> evaluate;
    std::function<Explained(Inputs const&, Point, Fidelity)> explain;
    std::function<Trace(Inputs const&, Point, Fidelity)> trace;  ///< optional
    /// Optional: the machine as an engine that serves requests with the model of the point.
    std::function<std::variant<ServiceEngine, Infeasible>(Inputs const&, Point, Fidelity)> engine;
    /// Whether hardware of the machine (a memory) is as large as `batch` sequences need: then `batch` is the number of
    /// sequences in a step of the engine, too.
    bool built_for_batch = false;
    /// Optional: where the weights of the point's model are stored.
    std::function<WeightLayouts(Inputs const&, Point)> weight_layouts;
    /// Optional: enumerates the classes of the values of a parameter within the rest of the space. Throws InputError.
    std::function<Classes(Parameters const&, ClassRequest const&, AxisValues const&)> classes;
    /// Keys of a request that it serves beyond its own parameters.
    Workload workload{};
    /// Its entry for every row of the ledger.
    std::function<Ledger()> ledger;
    /// Points with equal keys have equal cycle-level metrics. A point that cannot be built may have any key. Pure.
    std::function<CycleKey(Inputs const&, Point)> cycle_key;
    /// How the cycle key is made, if it is made by a KeyTable.
    KeyParts key_parts{};
    /// Metrics and parameters for which the optimistic analytic bounds are known to be monotone with these constants;
    /// the others are unknown.
    std::function<std::vector<MonotoneLowerBound>(Inputs const&)> monotone_lower_bounds;
    /// Optional: its constants of which nothing is known how they move metrics; of all others the dimension tells it
    /// (constant_slopes.hpp). Not set: nothing is known of any.
    std::function<std::vector<std::string>(Inputs const&)> constants_without_slopes{};
    /// Not set for an architecture of which there is one machine only.
    OneOfMany one_of_many{};
    /// Optional: reads what groups of several machines need under the same assumptions. Throws InputError.
    std::function<std::shared_ptr<void const>(ModelOptions const& options)> prepare_group;
    /// The architectures that it consists of, whose data files it reads, which live longer; empty: it is one.
    std::vector<Architecture const*> parts{};
    /// The constants that `prepare` reads with these options; empty: those of models/NAME/constants.toml. Throws
    /// InputError.
    std::function<Constants(ModelOptions const& options)> constants;
    /// The files of a machine that is a text file (models/text): its own first, then all others that it was read from.
    /// Empty for an architecture in C++ and for a pair.
    std::vector<SourceFile> files{};
    /// Optional: sentences about facts that are proved for the shipped constants but not for these.
    std::function<std::vector<std::string>(Inputs const&)> not_known;
};

/// The default value of every parameter, in declared order.
[[nodiscard]] std::vector<Value> default_point(Parameters const& parameters);

/// Position of the parameter with this name or alias; -1 if there is none.
[[nodiscard]] int find_parameter(Parameters const& parameters, std::string_view name);
[[nodiscard]] int find_metric(MetricList const& metrics, std::string_view name);

/// Inputs for a parameter table whose choices are bound: the usual way to make Inputs.
[[nodiscard]] Inputs prepare(Architecture const& architecture, Parameters parameters, ModelOptions options = {});

/// The constants of an architecture with these options. Throws InputError.
[[nodiscard]] Constants constants_of(Architecture const& architecture, ModelOptions const& options = {});

/// Calls `evaluate` and turns what it throws into a Defect (TooLong into one of kind timeout), except want of memory or
/// threads of the host (sim::refused_by_host), which is thrown on.
[[nodiscard]] Outcome outcome_safely(std::function<Outcome()> const& evaluate);

/// As outcome_safely; a metric that applies and is not finite makes a Defect, too.
[[nodiscard]] Outcome evaluate_safely(Architecture const& architecture, Inputs const& inputs, Point point,
                                      Fidelity fidelity);

/// Calls `explain` and adds the silicon by process in m2: logic, logic next to the banks of a DRAM process, and memory
/// dies. Their sum is the metric `silicon`. Throws whatever `explain` throws.
[[nodiscard]] Explained explained(Architecture const& architecture, Inputs const& inputs, Point point,
                                  Fidelity fidelity);

}  // namespace pimdse::models
