#include "dse/base/durable_file.hpp"
#include "dse/cli/point_request.hpp"
#include "dse/cli/served_scenario.hpp"
#include "dse/cli/trace_events.hpp"
#include "dse/cli/verb.hpp"
#include "dse/space/requested_machine.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/service_engine.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/workload.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/json.hpp"
#include "sim/serving/scheduler.hpp"

#include <filesystem>
#include <ostream>
#include <sstream>

namespace pimdse::dse::cli {
namespace {

using sim::Json;
using sim::serving::EngineActivity;

constexpr int engines = 1, requests = 2;  // the numbers of the two processes that viewers show

std::string_view kind_of(EngineActivity const& did) {
    if (did.prompts == 0) return "decode";
    return did.decoding == 0 ? "prefill" : "mixed";
}

void write_engines(TraceEvents& to, ServedScenario const& scenario) {
    bool const several = scenario.served.schedule.engines > 1;
    auto const counter = [&](EngineActivity const& did, char const* name) {
        return several ? fmt::format("{} (engine {})", name, did.engine) : std::string(name);
    };
    for (std::int64_t engine = 0; engine < scenario.served.schedule.engines; ++engine)
        to.name("thread_name", engines, engine + 1, fmt::format("engine {}", engine));
    for (auto const& did : scenario.activities) {
        to.slice(kind_of(did), engines, did.engine + 1, did.start, did.end,
                 {{"steps", did.steps},
                  {"prompts", did.prompts},
                  {"prompt_tokens", did.prompt_tokens},
                  {"prompt_cached", did.prompt_cached},
                  {"decoding", did.decoding},
                  {"decode_cached", did.decode_cached},
                  {"tokens", did.tokens}});
        to.counter(counter(did, "running"), engines, did.start, sim::as_double(did.running));
        to.counter(counter(did, "waiting"), engines, did.start, sim::as_double(did.waiting));
        to.counter(counter(did, "cache %"), engines, did.start,
                   100.0 * sim::as_double(did.blocks) / sim::as_double(did.cache_blocks));
    }
}

void write_request(TraceEvents& to, std::int64_t number, sim::serving::ServiceRequest const& request,
                   sim::serving::RequestTimes const& times) {
    auto const thread = number + 1;
    to.name("thread_name", requests, thread, fmt::format("request {}", number));
    Json const args{{"input", request.input}, {"output", request.output}, {"preemptions", times.preemptions}};
    if (times.rejected) return to.instant("rejected", requests, thread, times.arrival, args);
    to.slice("queue", requests, thread, times.arrival, times.scheduled, args);
    to.slice("prefill", requests, thread, times.scheduled, times.first_token, args);
    if (times.last_token > times.first_token)
        to.slice("decode", requests, thread, times.first_token, times.last_token, args);
}

/// Writes what happened to the requests of a scenario as Chrome trace events, which Perfetto and chrome://tracing show:
/// a track for each engine with its steps, counters of sequences that run, requests that wait and the share of the
/// cache, and a track for each request with its time in the queue, its prompt and its tokens. Times in microseconds.
void write_schedule_trace(std::ostream& out, ServedScenario const& scenario, std::string_view machine) {
    TraceEvents to(out);
    to.name("process_name", engines, 0, fmt::format("{}: {}", machine, scenario.name));
    to.name("process_name", requests, 0, "requests");
    write_engines(to, scenario);
    auto const& load = scenario.traffic->load.requests;
    for (std::size_t i = 0; i < load.size(); ++i)
        write_request(to, static_cast<std::int64_t>(i), load[i], scenario.served.schedule.requests[i]);
    to.end();
}

using sim::serving::StepWork;
using Counts = std::vector<std::int64_t>;

constexpr std::int64_t usual_tokens = 2048, usual_context = 16384, smallest_length = 16;
constexpr double micro = 1e6;

/// One of the tables that LLMServingSim 2 reads for a machine and a model: times of the parts of a step, over the
/// tokens of the step, over its sequences, and over prompts and contexts. Between the rows that simulator interpolates.
/// Its folder for a machine, a model and a number format has meta.yaml and tp1/.
struct TableFile {
    std::string name;  ///< "tp1/dense.csv"
    std::string text;
    std::size_t rows = 0;  ///< 0: no table

    /// Adds a row. The last column has a time in s, which is written in microseconds.
    void add(std::string const& keys, double seconds) {
        text += fmt::format("{},{:.6g}\n", keys, micro * std::max(0.0, seconds));
        ++rows;
    }
};

/// first, 2 first, 4 first ... and `last`.
void add_doubling(Counts& counts, std::int64_t first, std::int64_t last) {
    for (auto count = first; count < last; count *= 2) counts.push_back(count);
    if (last > 0 && (counts.empty() || counts.back() < last)) counts.push_back(last);
}

Counts doubling(std::int64_t first, std::int64_t last) {
    Counts counts{0};
    add_doubling(counts, std::min(first, last), last);
    return counts;
}

/// One by one up to 16, then in steps of about a sixteenth, and `last`.
Counts dense_counts(std::int64_t last) {
    Counts counts;
    for (std::int64_t next = 1; next < last; next += std::max<std::int64_t>(1, next / smallest_length))
        counts.push_back(next);
    counts.push_back(last);
    return counts;
}

/// Steps of an engine.
class Steps {
  public:
    explicit Steps(models::ServiceEngine const& engine) : engine_(engine) {}

    /// Seconds of a step of `tokens` tokens that attend to nothing but themselves, with no LM head: the shorter one of
    /// sequences that begin and of sequences that decode, because a machine may do them on different units.
    [[nodiscard]] double without_attention(std::int64_t tokens) const {
        StepWork prompts, tokens_of_many;
        prompts.chunks.assign(static_cast<std::size_t>(tokens), {1, 0});
        tokens_of_many.contexts.assign(static_cast<std::size_t>(tokens), 1);
        StepWork const together{{{tokens, 0}}, {}, 0};
        return std::min({seconds(prompts), seconds(tokens_of_many), seconds(together)});
    }
    /// Seconds of a step that computes `chunk` positions of a prompt after `cached` ones, and decodes `sequences`
    /// sequences of `context` cached positions.
    [[nodiscard]] double with_attention(std::int64_t chunk, std::int64_t cached, std::int64_t sequences,
                                        std::int64_t context) const {
        StepWork work;
        if (chunk > 0) work.chunks.push_back({chunk, cached});
        work.contexts.assign(static_cast<std::size_t>(sequences), context + 1);
        return seconds(work);
    }
    /// Seconds that the LM head adds for so many sequences.
    [[nodiscard]] double head(std::int64_t sequences) const {
        StepWork work;
        work.contexts.assign(static_cast<std::size_t>(sequences), 1);
        double const without = seconds(work);
        work.heads = sequences;
        return std::max(0.0, seconds(work) - without);
    }

  private:
    [[nodiscard]] double seconds(StepWork const& work) const { return engine_.law.one(work).seconds; }
    models::ServiceEngine const& engine_;
};

/// Names of the parts of a step in that simulator, and their shares of a layer's time without attention.
std::vector<std::pair<std::string_view, double>> dense_shares(models::LanguageModel const& model) {
    double qkv = 0.0, output = 0.0, up = 0.0, down = 0.0;
    for (auto const& matrix : models::layer_matrices(models::alike_layers(model).front())) {
        double const weights = sim::as_double(matrix.inputs) * sim::as_double(matrix.outputs * matrix.count);
        double& share = matrix.name == "o"                             ? output
                        : matrix.name == "gate" || matrix.name == "up" ? up
                        : matrix.name == "down"                        ? down
                                                                       : qkv;
        share += weights;
    }
    double const all = qkv + output + up + down;
    return {{"act_fn", 0.0},          {"down_proj", down / all},  {"embedding", 0.0},
            {"final_layernorm", 0.0}, {"gate_up_proj", up / all}, {"layernorm", 0.0},
            {"o_proj", output / all}, {"qk_norm", 0.0},           {"qkv_proj", qkv / all},
            {"rotary_emb", 0.0}};
}

TableFile dense_table(Steps const& steps, models::LanguageModel const& model, std::int64_t most) {
    TableFile table{"tp1/dense.csv", "layer,tokens,time_us\n"};
    auto const counts = dense_counts(most);
    std::vector<double> seconds;
    for (auto const count : counts) seconds.push_back(steps.without_attention(count) / sim::as_double(model.layers));
    for (auto const& [name, share] : dense_shares(model)) {
        for (std::size_t i = 0; i < counts.size(); ++i)
            table.add(fmt::format("{},{}", name, counts[i]), share * seconds[i]);
    }
    return table;
}

TableFile sequence_table(Steps const& steps, std::int64_t most) {
    TableFile table{"tp1/per_sequence.csv", "layer,sequences,time_us\n"};
    for (auto const count : dense_counts(most)) table.add(fmt::format("lm_head,{}", count), steps.head(count));
    for (auto const count : dense_counts(most)) table.add(fmt::format("sampler,{}", count), 0.0);
    return table;
}

/// The counts of the axes of attention; each begins with 0.
struct AttentionAxes {
    Counts chunks, sequences, lengths;
};

TableFile attention_table(Steps const& steps, models::LanguageModel const& model, AttentionAxes const& axes) {
    TableFile table{"tp1/attention.csv", "prefill_chunk,kv_prefill,n_decode,kv_decode,time_us\n"};
    for (auto const chunk : axes.chunks) {
        for (auto const cached : axes.lengths) {
            for (auto const sequences : axes.sequences) {
                if ((chunk == 0 && cached > 0) || chunk + sequences == 0) continue;
                double const rest = steps.without_attention(chunk + sequences);
                for (auto const context : axes.lengths) {
                    if ((sequences == 0) != (context == 0)) continue;
                    double const seconds = steps.with_attention(chunk, cached, sequences, context) - rest;
                    table.add(fmt::format("{},{},{},{}", chunk, cached, sequences, context),
                              seconds / sim::as_double(model.layers));
                }
            }
        }
    }
    return table;
}

std::string meta(sim::serving::SchedulerSettings const& settings, models::LanguageModel const& model,
                 std::string const& hardware, std::int64_t tokens, AttentionAxes const& axes) {
    auto text = fmt::format("written_by: pimdse export\ngpu: {0}, simulated\nhardware: {0}\nmodel: {1}\n", hardware,
                            model.name);
    text += "tp_degrees: [1]\nengine_effective:\n  tensor_parallel_size: 1\n";
    text += fmt::format("  block_size: {}\n  max_num_batched_tokens: {}\n  max_num_seqs: {}\n", settings.block_tokens,
                        tokens, settings.max_sequences);
    text += fmt::format("attention_grid:\n  chunks: [{}]\n  n_decode: [{}]\n  kv: [{}]\n", fmt::join(axes.chunks, ", "),
                        fmt::join(axes.sequences, ", "), fmt::join(axes.lengths, ", "));
    return text + "skew_profile:\n  enabled: false\nskew_fit:\n  enabled: false\n";
}

void check(models::ServiceEngine const& engine, models::LanguageModel const& model) {
    if (engine.handover)
        throw sim::InputError("it is a pair of machines, of which LLMServingSim needs the tables of each");
    if (engine.tokens_per_step > 1)
        throw sim::InputError("its sequences yield blocks of tokens, which the tables of LLMServingSim do not have");
    for (auto const& alike : models::alike_layers(model)) {
        if (alike.experts > 0)
            throw sim::InputError(
                "{} is a mixture of experts: the tables of LLMServingSim need times over the number of "
                "chosen experts, which the steps of this machine do not tell apart",
                model.name);
    }
}

/// The tables of one engine. The time of a step at the rows, added up as the simulator does, is that of the law (to six
/// digits, plus 1 ns for each part without a time of its own, which it sets for 0): a step of n tokens without
/// attention stands under `dense`, what attention adds to it under `attention`. The law does not tell the matrices of a
/// layer apart, so `dense` is shared out by their weights. `hardware` names the machine. Throws InputError for what
/// these tables cannot say: a mixture of experts, and sequences that yield blocks of tokens.
std::vector<TableFile> kernel_tables(models::ServiceEngine const& engine,
                                     sim::serving::SchedulerSettings const& settings,
                                     models::LanguageModel const& model, std::string const& hardware) {
    check(engine, model);
    Steps const steps(engine);
    auto const tokens = settings.max_batched_tokens > 0 ? settings.max_batched_tokens : usual_tokens;
    auto const context = std::min(engine.max_context > 0 ? engine.max_context - 1 : usual_context, usual_context);
    AttentionAxes axes{doubling(smallest_length, tokens), {0}, doubling(smallest_length, context)};
    add_doubling(axes.sequences, 1, settings.max_sequences);
    return {{"meta.yaml", meta(settings, model, hardware, tokens, axes)},
            dense_table(steps, model, tokens + settings.max_sequences),
            sequence_table(steps, settings.max_sequences),
            attention_table(steps, model, axes)};
}

/// Throws UsageError for a file that exists, unless it may be replaced.
void refuse_existing(std::filesystem::path const& file, bool force) {
    std::error_code error;
    if (!force && std::filesystem::exists(file, error))
        throw UsageError("{} exists already (it is kept). Use --force to replace it, or another name?", file.string());
}

/// The scenario with traffic that is exported. Throws InputError if there is none, UsageError if there are several.
space::Scenario const& scenario_in(PointRequest const& requested, CommandLine const& values) {
    std::vector<space::Scenario const*> with_traffic;
    std::vector<std::string> names;
    for (auto const& scenario : requested.machine.scenarios.list()) {
        if (!scenario.traffic) continue;
        with_traffic.push_back(&scenario);
        names.push_back(scenario.written.name);
    }
    if (names.empty())
        throw sim::InputError(
            "{}: none of its scenarios has traffic, so it has no schedule to export (docs/traffic.md)",
            requested.origin);
    if (!values.contains("service")) {
        if (names.size() == 1) return *with_traffic.front();
        throw UsageError("the space has several scenarios with traffic ({}). Choose one with --service?",
                         fmt::join(names, ", "));
    }
    auto const name = values.text("service");
    auto const found = std::ranges::find(names, name);
    if (found == names.end())
        throw UsageError("--service: no scenario with traffic is called '{}' ({}).{}", name, fmt::join(names, ", "),
                         sim::suggestion(name, names));
    return *with_traffic[static_cast<std::size_t>(found - names.begin())];
}

void write(std::filesystem::path const& file, std::string const& text) {
    base::replace_file(file, std::as_bytes(std::span(text)));
}

/// "h100", "rtx_4090" or the architecture's name: a name for the machine.
std::string hardware_name(PointRequest const& requested) {
    auto const& parameters = requested.machine.parameters();
    int const device = models::find_parameter(parameters, "device");
    if (device < 0) return requested.machine.name;
    auto const at = static_cast<std::size_t>(device);
    return models::print_value(parameters[at], requested.point[at]);
}

models::LanguageModel model_of(PointRequest const& requested, models::Point point) {
    auto const& parameters = requested.machine.parameters();
    int const llm = models::find_parameter(parameters, "llm");
    if (llm < 0) throw sim::InputError("the machine has no language model");
    auto const at = static_cast<std::size_t>(llm);
    return models::load_language_model(models::print_value(parameters[at], point[at]));
}

int write_tables(PointRequest const& requested, space::Scenario const& scenario, ServedScenario const& served,
                 std::filesystem::path const& folder, bool force) {
    auto const point = scenario.of(requested.point);
    auto const engine = models::service::engine_for(*requested.machine.architecture, requested.machine.inputs, point,
                                                    requested.fidelity, *scenario.traffic);
    auto const tables = kernel_tables(std::get<models::ServiceEngine>(engine), served.served.settings,
                                      model_of(requested, point), hardware_name(requested));
    for (auto const& file : tables) refuse_existing(folder / file.name, force);
    std::error_code error;
    std::filesystem::create_directories(folder / "tp1", error);
    if (error) throw sim::StorageError(folder, "{} cannot be made ({})", (folder / "tp1").string(), error.message());
    std::vector<std::string> counts;
    for (auto const& file : tables) {
        write(folder / file.name, file.text);
        if (file.rows > 0) counts.push_back(fmt::format("{} ({})", file.name, counted(file.rows, "row")));
    }
    std::cout << fmt::format("{}: meta.yaml, {}. Copy it to profiler/perf/{}/MODEL/VARIANT of LLMServingSim\n",
                             folder.string(), fmt::join(counts, ", "), hardware_name(requested));
    return complete;
}

int write_trace_of(PointRequest const& requested, ServedScenario const& served, std::filesystem::path const& file) {
    std::ostringstream text;
    write_schedule_trace(text, served, requested.machine.architecture->name);
    write(file, text.str());
    std::cout << fmt::format("{}: {} of {}, {} of {}\n", file.string(), counted(served.activities.size(), "slice"),
                             counted(static_cast<std::uint64_t>(served.served.schedule.engines), "engine"),
                             counted(static_cast<std::uint64_t>(served.served.schedule.steps), "step"),
                             counted(served.traffic->load.requests.size(), "request"));
    return complete;
}

/// Prints why a point has no metrics; the exit code that goes with it.
int explain_failure(models::Outcome const& outcome) {
    if (auto const* infeasible = std::get_if<models::Infeasible>(&outcome)) {
        std::cerr << fmt::format("pimdse: the point is infeasible, so there is nothing to export: {}: {}\n",
                                 infeasible->rule, infeasible->reason);
        return no_feasible_point;
    }
    std::cerr << fmt::format("pimdse: the point failed: {}\n", std::get<models::Defect>(outcome).what);
    return some_points_failed;
}

}  // namespace

int run_export(CommandLine const& given) {
    auto values = given;
    auto const file = values.needed("file");
    std::filesystem::path const to = values.needed("to");
    bool const force = values.contains("force");
    bool const trace = position_of("--as", values.needed("as"), {"llmservingsim", "perfetto"}) == 1;
    if (trace) {
        refuse_existing(to, force);
        base::check_writable(to);
    }
    values.set("from", file);
    auto const requested = point_request(values);
    auto const& scenario = scenario_in(requested, values);
    auto const outcome = space::evaluate_machine(requested.machine, requested.point, requested.fidelity);
    auto const* metrics = std::get_if<models::Metrics>(&outcome);
    if (metrics == nullptr) return explain_failure(outcome);
    auto const all = served_scenarios(requested, *metrics, {});
    auto const served = std::ranges::find(all, scenario.written.name, &ServedScenario::name);
    sim::expects(served != all.end(), "a feasible point serves its traffic");
    if (trace) return write_trace_of(requested, *served, to);
    return write_tables(requested, scenario, *served, to, force);
}

}  // namespace pimdse::dse::cli
