#pragma once

#include "models/contract/breakdown.hpp"
#include "models/contract/fidelity.hpp"
#include "models/contract/inputs.hpp"
#include "models/contract/ledger.hpp"
#include "models/contract/metric.hpp"
#include "models/contract/outcome.hpp"
#include "models/contract/proofs.hpp"
#include "models/contract/request_result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// The contract between a search and a model. An architecture is a pure function from a point and a fidelity to metrics.
// Everything else that it may read is in Inputs, which is made once and shared by all threads.
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

class Constants;       // constants.hpp
struct FlowGraph;      // flow_graph.hpp
struct ServiceEngine;  // service_engine.hpp
struct WeightLayouts;  // weight_layout.hpp
class ModelList;       // models/llm/model_list.hpp
namespace chips {
struct ChipLink;  // models/chips/links.hpp
}

/// What models/chips must know of an architecture to serve a model with several of its machines.
struct OneOfMany {
    /// The models behind the choices of `llm`; those before `first_model` are none.
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
    /// Evaluates the request of a point, and fills the breakdown if one is passed. Pure; thread-safe; no I/O.
    /// `fidelity` is one of `fidelities`. Not set for economy::parts, which has bills only.
    std::function<std::variant<RequestResult, Infeasible>(Inputs const&, Point, Fidelity, Breakdown*)> request;
    /// The metrics of a point, without and with its breakdown; set by answering() if `request` is set.
    std::function<Outcome(Inputs const&, Point, Fidelity)> evaluate;
    std::function<Explained(Inputs const&, Point, Fidelity)> explain;
    std::function<Trace(Inputs const&, Point, Fidelity)> trace;  ///< optional
    /// Optional: the machine as an engine that serves requests with the model of the point.
    std::function<std::variant<ServiceEngine, Infeasible>(Inputs const&, Point, Fidelity)> engine;
    /// Whether a memory of the machine is made as large as `batch` sequences need. Then `batch` also limits the number
    /// of sequences in a step of the engine.
    bool built_for_batch = false;
    /// Optional: where the weights of the point's model are stored.
    std::function<WeightLayouts(Inputs const&, Point)> weight_layouts;
    /// Optional: the data flow of a layer of a feasible point. Throws InputError if the point has none.
    std::function<FlowGraph(Inputs const&, Point, Fidelity)> flow_graph;
    /// Optional: what a network does for a layer of a feasible point, as the text of a program (docs/simulators.md).
    /// Throws InputError if the point has no such program.
    std::function<std::string(Inputs const&, Point)> network_program;
    /// Optional: the formats of weights and of what they are multiplied by, at a feasible point: "int4 x fp16".
    std::function<std::string(Inputs const&, Point)> products;
    /// Optional: enumerates the classes of the values of a parameter within the rest of the space. Throws InputError.
    std::function<Classes(Parameters const&, ClassRequest const&, AxisValues const&)> classes;
    /// Keys of a request that it serves beyond its own parameters.
    Workload workload{};
    /// Its entry for every row of the ledger.
    std::function<Ledger()> ledger;
    Proofs proofs{};
    /// Not set if several machines of the architecture cannot serve one model.
    OneOfMany one_of_many{};
    /// Optional: reads what groups of several machines need under the same assumptions. Throws InputError.
    std::function<std::shared_ptr<void const>(ModelOptions const& options)> prepare_group;
    /// For a pair: its two architectures, which must outlive it; it reads their data files. Otherwise empty.
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

/// Inputs for a parameter table whose choices are bound: the usual way to make Inputs.
[[nodiscard]] Inputs prepare(Architecture const& architecture, Parameters parameters, ModelOptions options = {});

/// The constants of an architecture with these options. Throws InputError.
[[nodiscard]] Constants constants_of(Architecture const& architecture, ModelOptions const& options = {});

/// As outcome_safely; a metric that applies and is not finite makes a Defect, too.
[[nodiscard]] Outcome evaluate_safely(Architecture const& architecture, Inputs const& inputs, Point point,
                                      Fidelity fidelity);

/// Calls `explain` and adds the silicon by process in m2: logic, logic next to the banks of a DRAM process, and memory
/// dies. Their sum is the metric `silicon`. Throws whatever `explain` throws.
[[nodiscard]] Explained explained(Architecture const& architecture, Inputs const& inputs, Point point,
                                  Fidelity fidelity);

/// The outcome, unless a metric that applies is not finite: then a Defect of kind not_a_number, which names the first
/// such metric and the constant or parameter that is furthest from its usual value.
[[nodiscard]] Outcome finite_or_defect(Architecture const& architecture, Inputs const& inputs, Point point,
                                       Outcome outcome);

/// Name of the table of draws that changes rows of models/chips/links.toml.
inline constexpr std::string_view links_table = "links";

/// Whether a drawn constant of this name is of a table that only groups and costs read ("links.pcie5_energy",
/// "economy.pue"), so that the machine itself need not be prepared again. A pair prepares both of its machines.
[[nodiscard]] bool is_read_by_groups_only(Architecture const& architecture, std::string_view constant);

/// The same inputs with options that differ in such constants only.
[[nodiscard]] Inputs with_drawn_for_groups(Architecture const& architecture, Inputs inputs, ModelOptions options);

}  // namespace pimdse::models
