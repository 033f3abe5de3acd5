#include "dse/cli/evaluated_text.hpp"
#include "dse/cli/kernel_rows.hpp"
#include "dse/cli/point_request.hpp"
#include "dse/cli/served_scenario.hpp"
#include "dse/cli/trace_events.hpp"
#include "dse/cli/verb.hpp"
#include "dse/report/point_json.hpp"
#include "dse/report/request_lines.hpp"
#include "dse/space/evaluation.hpp"
#include "dse/space/requested_machine.hpp"
#include "dse/space/search_settings.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/flow_graph.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/json.hpp"

#include <fstream>
#include <map>

namespace pimdse::dse::cli {

namespace {

using sim::Json;

/// The flags of --fidelity hybrid.
struct Hybrid {
    double tolerance = space::usual_tolerance;
    std::vector<std::size_t> counted;  ///< positions of the metrics that --objectives names; empty: all count
};

std::size_t choices_of(models::Parameters const& parameters) {
    std::size_t count = 0;
    for (auto const& parameter : parameters) count += parameter.choices.size();
    return count;
}

/// Evaluates lines of points. The machine is prepared again when a line names a text value that is new to it.
class LineBatch {
  public:
    LineBatch(PointRequest base, std::optional<Hybrid> hybrid, int threads)
        : base_(std::move(base)),
          hybrid_(std::move(hybrid)),
          parameters_(base_.machine.parameters()),
          threads_(threads) {}

    Json reply_to(std::string const& line) {
        try {
            auto const request = report::read_free_request(parameters_, base_.point, line);
            auto const fidelity = request.fidelity.value_or(base_.fidelity);
            if (std::ranges::find(base_.machine.architecture->fidelities, fidelity) ==
                base_.machine.architecture->fidelities.end())
                throw report::Refusal{request.tag, "the architecture does not have this fidelity"};
            prepare_new_texts();
            auto results =
                hybrid_ && !request.fidelity ? hybrid_results(request.points) : results_at(fidelity, request.points);
            return {{"tag", request.tag}, {"answers", std::move(results)}};
        } catch (report::Refusal const& refusal) {
            return {{"tag", refusal.tag}, {"error", refusal.sentence}};
        } catch (sim::InputError const& error) {
            return {{"tag", nullptr}, {"error", error.what()}};
        }
    }

  private:
    /// Prepares the inputs of the architecture again if a line has named a new text value.
    void prepare_new_texts() {
        if (choices_of(parameters_) == choices_of(base_.machine.parameters())) return;
        base_.machine.inputs = models::prepare(*base_.machine.architecture, parameters_, base_.machine.inputs.options);
        for (auto& table : base_.machine.tables) table = table.with(parameters_);
    }

    Json results_at(models::Fidelity fidelity, std::vector<std::vector<models::Value>> const& points) {
        auto results = Json::array();
        auto const metrics = base_.machine.metrics();
        for (auto const& outcome : space::outcomes_of(base_.machine, points, fidelity, threads_))
            results.push_back(report::outcome_json(metrics, outcome));
        return results;
    }

    Json hybrid_results(std::vector<std::vector<models::Value>> const& points) {
        auto const metrics = base_.machine.metrics();
        std::vector<std::vector<models::Value>> simulated;
        std::vector<std::size_t> places;
        auto results = Json::array();
        for (auto const& outcome : space::outcomes_of(base_.machine, points, models::Fidelity::analytic, threads_)) {
            auto const level = space::hybrid_level(metrics, outcome, hybrid_->tolerance, hybrid_->counted);
            auto result = report::outcome_json(metrics, outcome);
            if (level.fidelity == models::Fidelity::cycle) {
                places.push_back(results.size());
                simulated.push_back(points[results.size()]);
            }
            result["hybrid"] = level.why;
            results.push_back(std::move(result));
        }
        auto const finer = space::outcomes_of(base_.machine, simulated, models::Fidelity::cycle, threads_);
        for (std::size_t i = 0; i < finer.size(); ++i) {
            auto result = report::outcome_json(metrics, finer[i]);
            result["hybrid"] = results[places[i]]["hybrid"];
            results[places[i]] = std::move(result);
        }
        return results;
    }

    PointRequest base_;
    std::optional<Hybrid> hybrid_;
    models::Parameters parameters_;
    int threads_;
};

/// The result that a run would give, with its breakdown. A mistake in a file or a setting is thrown as InputError
/// instead of becoming a defect. A point with scenarios has no single breakdown.
models::Explained explained(PointRequest const& requested) {
    auto const& machine = requested.machine;
    if (!machine.scenarios.empty()) return {{}, space::evaluate_machine(machine, requested.point, requested.fidelity)};
    if (auto why = space::missing_row(machine, requested.point); !why.empty())
        return {{}, models::Infeasible{std::string(space::table_rule), std::move(why)}};
    try {
        auto result = models::explained(*machine.architecture, machine.inputs, requested.point, requested.fidelity);
        auto* metrics = std::get_if<models::Metrics>(&result.outcome);
        if (metrics == nullptr) return result;
        space::add_table_metrics(machine, requested.point, *metrics);
        auto const asked = static_cast<double>(machine.inputs.options.assumptions.precision);
        if (auto why = space::short_of_precision(machine.metrics(), *metrics, asked); !why.empty())
            result.outcome = models::Infeasible{std::string(models::precision_key), std::move(why)};
        return result;
    } catch (sim::InputError const&) {
        throw;
    } catch (std::exception const& error) {
        if (sim::refused_by_host(error)) throw;
        return {{}, models::Defect{error.what()}};
    }
}

/// What the flags of --fidelity hybrid say; nothing at another fidelity. Throws UsageError.
std::optional<Hybrid> hybrid_in(CommandLine const& values) {
    if (values.given("fidelity") != space::hybrid_name) {
        for (char const* flag : {"tolerance", "objectives"}) {
            if (values.contains(flag))
                throw UsageError(
                    "--{} belongs to --fidelity hybrid, which chooses between closed form and simulation. Add "
                    "--fidelity hybrid?",
                    flag);
        }
        return std::nullopt;
    }
    return Hybrid{given_share(values, "tolerance").value_or(space::usual_tolerance), {}};
}

/// The point that the flags describe; of --fidelity hybrid in closed form.
PointRequest requested_in(CommandLine values, std::optional<Hybrid>& hybrid) {
    if (!hybrid) return point_request(values);
    values.set("fidelity", std::string(models::name_of(models::Fidelity::analytic)));
    auto requested = point_request(values);
    auto const& architecture = *requested.machine.architecture;
    if (space::finest_up_to(architecture, models::Fidelity::cycle) != models::Fidelity::cycle)
        throw UsageError(
            "--fidelity hybrid simulates what its closed form leaves open, and {} has no cycle level. Use --fidelity "
            "analytic?",
            architecture.name);
    if (!values.contains("objectives")) return requested;
    auto const metrics = requested.machine.metrics();
    for (auto const& name : values.words("objectives")) {
        int const at = models::find_metric(metrics, name);
        if (at < 0)
            throw UsageError("--objectives: unknown metric '{}'.{}", name,
                             sim::suggestion(name, sim::names_of(metrics)));
        hybrid->counted.push_back(static_cast<std::size_t>(at));
    }
    return requested;
}

/// The same at the level that --fidelity hybrid chooses for it.
PointRequest at_its_level(CommandLine const& values) {
    auto hybrid = hybrid_in(values);
    auto requested = requested_in(values, hybrid);
    if (!hybrid) return requested;
    requested.hybrid = space::hybrid_level(requested.machine.metrics(), explained(requested).outcome, hybrid->tolerance,
                                           hybrid->counted);
    requested.fidelity = requested.hybrid->fidelity;
    return requested;
}

/// The outcome of a feasible point without scenarios in another language, instead of its metrics: what `print` makes of
/// its `view` of the architecture, if it has one. Returns whether the point is feasible.
template <class View, class Print>
bool print_other(PointRequest const& requested, std::string_view flag, std::string_view what, View const& view,
                 Print const& print) {
    auto const& machine = requested.machine;
    if (!machine.scenarios.empty())
        throw UsageError("--{0} prints the {1} of one point without scenarios. Leave out --{0} or the scenarios?", flag,
                         what);
    if (!view) throw sim::InputError("{} has no {} to print (cim_mesh has)", machine.architecture->name, what);
    auto const outcome =
        models::evaluate_safely(*machine.architecture, machine.inputs, requested.point, requested.fidelity);
    if (!std::holds_alternative<models::Metrics>(outcome)) return false;
    std::cout << print();
    return true;
}

bool print_graph(PointRequest const& requested) {
    auto const& graph = requested.machine.architecture->flow_graph;
    return print_other(requested, "graph", "data flow", graph, [&] {
        return models::dot_of(graph(requested.machine.inputs, requested.point, requested.fidelity));
    });
}

bool print_program(PointRequest const& requested) {
    auto const& program = requested.machine.architecture->network_program;
    return print_other(requested, "program", "network program", program,
                       [&] { return program(requested.machine.inputs, requested.point); });
}

/// The multiples of the rate of the traffic that --at-rates lists.
std::vector<double> factors_in(CommandLine const& values) {
    std::vector<double> factors;
    if (!values.contains("at-rates")) return factors;
    constexpr double farthest = 1e6;
    constexpr std::size_t max_factors = 100;
    for (auto const& word : values.words("at-rates"))
        factors.push_back(read_number<double>("--at-rates", word, {1.0 / farthest, farthest}));
    if (factors.empty() || factors.size() > max_factors)
        throw UsageError("--at-rates lists 1 to {} multiples of the rate, such as 0.5,1,2", max_factors);
    return factors;
}

/// Writes a timeline as trace events, one thread per unit in order of appearance. Throws StorageError.
void write_trace(std::string const& path, models::Trace const& trace, std::string_view process) {
    constexpr int pid = 1;
    std::map<std::string, int> threads;
    std::ofstream file(path);
    TraceEvents events(file);
    events.name("process_name", pid, 0, process);
    for (auto const& event : trace) {
        auto const [unit, is_new] = threads.emplace(event.unit, static_cast<int>(threads.size()) + 1);
        if (is_new) events.name("thread_name", pid, unit->second, event.unit);
        events.slice(event.what, pid, unit->second, event.start, event.start + event.duration);
    }
    events.end();
    if (!file.flush()) throw sim::StorageError(path, "{} cannot be written", path);
}

/// The words of --assume without which a point without scenarios has the same metrics in closed form.
std::vector<std::string> without_effect(CommandLine const& values, PointRequest const& requested) {
    std::vector<std::string> found;
    auto const words = values.texts("assume");
    if (!requested.machine.scenarios.empty()) return found;
    auto const of = [](PointRequest request) {
        request.fidelity = models::Fidelity::analytic;
        return report::outcome_json(request.machine.metrics(), explained(request).outcome).dump();
    };
    if (words.empty()) return found;
    auto const all = of(requested);
    for (auto const& word : words) {
        if (word.starts_with(models::precision_key)) continue;  // a limit
        auto others = words;
        std::erase(others, word);
        auto without = values;
        without.set("assume", others);
        if (of(point_request(without)) == all) found.push_back(word);
    }
    return found;
}

/// Evaluates the point and writes its trace if requested. A point with scenarios has no single timeline.
Evaluated evaluated(PointRequest requested, CommandLine const& values) {
    auto const& machine = requested.machine;
    if (!machine.scenarios.empty() && values.contains("trace"))
        throw UsageError(
            "--trace writes the timeline of one point without scenarios. Leave out --trace or the scenarios?");
    auto result = explained(requested);
    if (values.contains("trace") && std::holds_alternative<models::Metrics>(result.outcome)) {
        if (machine.architecture->trace == nullptr)
            throw sim::InputError("{} has no cycle timeline to trace", machine.architecture->name);
        write_trace(values.text("trace"),
                    machine.architecture->trace(machine.inputs, requested.point, requested.fidelity),
                    machine.architecture->name);
    }
    Evaluated done{std::move(requested), std::move(result.outcome), static_cast<models::Breakdown&&>(result), {}};
    auto const factors = factors_in(values);
    if (!factors.empty() && !done.requested.machine.scenarios.serve())
        throw UsageError("--at-rates needs a scenario with traffic (docs/traffic.md). Leave out --at-rates?");
    if (auto const* metrics = std::get_if<models::Metrics>(&done.outcome))
        done.services = served_scenarios(done.requested, *metrics, factors);
    return done;
}

/// One operator, or a table of them.
int evaluate_alone(CommandLine const& values, Format format) {
    for (char const* flag : {"batch", "trace", "graph", "program", "at-rates", "from", "tolerance", "objectives"})
        if (values.contains(flag))
            throw UsageError(
                "--{0} is about requests and cannot be combined with --operator or --rows. Leave out --{0}?", flag);
    if (values.contains("operator") && values.contains("rows"))
        throw UsageError("--operator asks for one operator and --rows for a table of them. Leave out one?");
    if (format == Format::csv) throw UsageError("--operator and --rows print text or json (got csv)");
    auto const requested = point_request(values);
    if (values.contains("operator")) return evaluate_operator(requested, values.text("operator"), format);
    return evaluate_rows(requested, values.text("rows"), format);
}

}  // namespace

/// Evaluates the requests in lines of JSON on standard input until the input ends, and writes one line of results per
/// request, in the same order. `base`: the point whose values apply to parameters that a line does not name.
/// `hybrid`: lines without a fidelity are evaluated at the level that it chooses.
int evaluate_batch(PointRequest base, std::optional<Hybrid> hybrid, int threads) {
    LineBatch batch(std::move(base), std::move(hybrid), threads);
    for (std::string line; std::getline(std::cin, line);) {
        if (line.find_first_not_of(" \t\r") != std::string::npos)
            std::cout << batch.reply_to(line).dump() << std::endl;  // flushed: the client waits for it
    }
    return complete;
}

int run_evaluate(CommandLine const& values) {
    Format const format = format_of(values);
    if (values.contains("operator") || values.contains("rows")) return evaluate_alone(values, format);
    if (values.contains("batch")) {
        if (!values["format"].defaulted() && format != Format::json)
            throw UsageError("--batch prints lines of JSON (--format text and csv are for one point)");
        if (values.contains("trace"))
            throw UsageError("--trace writes the timeline of one point and cannot be combined with --batch");
        if (values.contains("at-rates"))
            throw UsageError("--at-rates serves one point at several rates and cannot be combined with --batch");
        for (char const* flag : {"graph", "program"}) {
            if (values.contains(flag))
                throw UsageError("--{} prints one point and cannot be combined with --batch", flag);
        }
        auto hybrid = hybrid_in(values);
        auto base = requested_in(values, hybrid);
        return evaluate_batch(std::move(base), std::move(hybrid), threads_of(values));
    }
    for (auto const& [flag, language, print] : {std::tuple("graph", "the dot language", &print_graph),
                                                std::tuple("program", "a program of the network", &print_program)}) {
        if (!values.contains(flag)) continue;
        bool const alone = values["format"].defaulted() && !values.contains("trace") &&
                           values.contains("graph") != values.contains("program");
        if (!alone)
            throw UsageError("--{} prints {} and nothing else. Leave out --format, --trace and {}?", flag, language,
                             flag == std::string_view("graph") ? "--program" : "--graph");
        if (print(at_its_level(values))) return complete;
    }
    auto result = evaluated(at_its_level(values), values);
    if (format != Format::csv && std::holds_alternative<models::Metrics>(result.outcome))
        result.without_effect = without_effect(values, result.requested);
    print_evaluated(result, format, values.contains("all"));
    if (std::holds_alternative<models::Infeasible>(result.outcome)) return no_feasible_point;
    return std::holds_alternative<models::Defect>(result.outcome) ? some_points_failed : complete;
}

}  // namespace pimdse::dse::cli
