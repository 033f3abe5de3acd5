#include "dse/cli/front_table.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/run.hpp"
#include "dse/cli/verb.hpp"
#include "dse/result_file.hpp"
#include "sim/check.hpp"
#include "sim/quantity_text.hpp"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

namespace pimdse::dse::cli {
namespace {

Manual const manual{
    "pimdse explore SPACE -o FILE.h5 [flags]",
    "Explores a space and writes every answer and the front to FILE.h5; alone on all cores, or as an MPI job.",
    "  mpirun -n 4 pimdse explore spaces/quick.toml -o quick.h5\n"
    "evaluates the shipped quick space on four ranks; `pimdse front quick.h5` then prints its front.",
    {"space"}};

po::options_description flags() {
    po::options_description description("Flags");
    auto add = description.add_options();
    add("output,o", po::value<std::string>(), "the result file to write");
    add("strategy", po::value<std::string>(), "sweep, random (pimdse list strategies)");
    add("budget", po::value<std::uint64_t>(), "how many points at most");
    add("seed", po::value<std::uint64_t>(), "decides every random choice");
    add("fidelity", po::value<std::string>(), "analytic, hybrid or cycle");
    add("objectives", po::value<std::string>(), "metrics to optimise, by comma, instead of the space's");
    add("keep", po::value<std::string>()->default_value("all"), "all: every answer");
    add("threads", po::value<int>()->default_value(0), "threads per rank (0: PIMDSE_THREADS, SLURM_CPUS_PER_TASK, or what the machine allows)");
    add("time-limit", po::value<std::string>(), "stop in time, resumable: \"90 s\", \"2 h\"");
    add("progress", po::value<std::string>()->default_value("auto"), "auto, bar, plain or none");
    add("set", po::value<std::vector<std::string>>()->composing(), "name=value: replaces a parameter of the space");
    add("shard", po::value<std::string>(), "K/N: only the K-th of N parts (from 0), to be joined by pimdse merge");
    add("resume", "go on with FILE.h5");
    add("force", "replace FILE.h5; with --resume: go on with what is whole of a damaged journal");
    add("dry-run", "say what would be evaluated, and stop");
    add("supervise", "start again after the loss of a rank");
    add_format(description);
    return description;
}

std::vector<std::string> split(std::string const& text) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) {
        if (!part.empty()) parts.push_back(part);
    }
    return parts;
}

double seconds_of(std::string const& text) {
    auto const quantity = sim::parse_quantity(text);
    if (quantity.dimension != sim::dimension_of(sim::Time{}) || quantity.si <= 0.0) throw UsageError(fmt::format("--time-limit {} is no time (write \"90 s\" or \"2 h\")", text));
    return quantity.si;
}

/// "2/8" as (2, 8).
std::pair<std::uint64_t, std::uint64_t> shard_of(std::string const& text) {
    std::istringstream stream(text);
    std::uint64_t shard = 0;
    std::uint64_t shards = 0;
    char slash = ' ';
    bool const read = static_cast<bool>(stream >> shard >> slash >> shards) && stream.eof();
    if (!read || slash != '/' || shard >= shards) throw UsageError(fmt::format("--shard {} is no part K/N with K from 0 to N-1", text));
    return {shard, shards};
}

template <class T>
std::optional<T> given(po::variables_map const& values, char const* name) {
    return values.contains(name) ? std::optional(values[name].as<T>()) : std::nullopt;
}

void refuse_unbuilt(po::variables_map const& values) {
    if (values["keep"].as<std::string>() != "all") throw UsageError("--keep front is not built yet (every answer is kept)");
    if (values.contains("supervise")) throw UsageError("--supervise is not built yet (start again with --resume after a loss)");
}

RunRequest request_of(po::variables_map const& values, std::vector<std::string> const& arguments) {
    refuse_unbuilt(values);
    RunRequest request;
    request.space_file = needed(values, "space", manual);
    request.dry_run = values.contains("dry-run");
    if (!request.dry_run || values.contains("output")) request.output = needed(values, "output", manual);
    request.overrides = overrides_of(values);
    request.strategy = given<std::string>(values, "strategy");
    request.fidelity = given<std::string>(values, "fidelity");
    request.budget = given<std::uint64_t>(values, "budget");
    request.seed = given<std::uint64_t>(values, "seed");
    if (values.contains("objectives")) request.objectives = split(values["objectives"].as<std::string>());
    if (values.contains("shard")) std::tie(request.shard, request.shards) = shard_of(values["shard"].as<std::string>());
    if (values.contains("resume")) request.if_exists = IfExists::resume;
    if (values.contains("force")) request.if_exists = values.contains("resume") ? IfExists::salvage : IfExists::replace;
    request.threads = values["threads"].as<int>();
    if (values.contains("time-limit")) request.seconds_allowed = seconds_of(values["time-limit"].as<std::string>());
    request.progress = values["progress"].as<std::string>();
    (void)progress_style(request.progress);
    request.format = format_of(values);
    request.words = {"pimdse", "explore"};
    request.words.insert(request.words.end(), arguments.begin(), arguments.end());
    return request;
}

void print_json(RunSummary const& s) {
    nlohmann::ordered_json const text{{"file", s.output.string()}, {"complete", s.complete}, {"points", s.points}, {"evaluated", s.evaluated},
                                      {"remembered", s.remembered}, {"feasible", s.feasible}, {"infeasible", s.infeasible}, {"failed", s.failed},
                                      {"front", s.front}, {"digest", s.digest}, {"seconds", s.seconds}, {"ranks", s.ranks}, {"threads", s.threads}};
    std::cout << text.dump(2) << "\n";
}

void print_text(RunSummary const& s) {
    std::cout << fmt::format("{} points in {} ({} evaluated", s.points, print_duration(s.seconds), s.evaluated);
    if (s.remembered > 0) std::cout << fmt::format(", {} remembered", s.remembered);
    std::cout << fmt::format("), {} feasible, {} infeasible, {} failed; {} on the front\n", s.feasible, s.infeasible, s.failed, s.front);
    std::cout << fmt::format("result file: {}  (digest {})\n", s.output.string(), s.digest.substr(0, 12));
    if (!s.complete) std::cout << "stopped before the end: the same command with --resume goes on\n";
}

}  // namespace

void print_summary(RunSummary const& summary, Format format, std::string const& next) {
    constexpr std::size_t rows_on_a_screen = 20;
    if (format == Format::json) return print_json(summary);
    auto const file = load_result_file(summary.output);
    auto const front = make_front(file, file.columns.objectives);
    if (format == Format::csv) {
        std::cout << front.csv();
        return;
    }
    print_text(summary);
    std::cout << front.text(rows_on_a_screen) << "next: " << next << "\n";
}

int run_explore(std::vector<std::string> const& arguments) {
    auto const values = parse(manual, flags(), arguments);
    if (!values) return complete;
    auto const summary = run(request_of(*values, arguments));
    if (!summary) return complete;
    print_summary(*summary, format_of(*values), fmt::format("pimdse front {0} ; analysis/front.py {0}", summary->output.string()));
    return summary->exit_code();
}

}  // namespace pimdse::dse::cli
