#include "dse/cli/counted.hpp"
#include "dse/cli/flag_values.hpp"
#include "dse/cli/json_text.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/run/front_table.hpp"
#include "dse/cli/run/progress.hpp"
#include "dse/cli/run/refine.hpp"
#include "dse/cli/run/run.hpp"
#include "dse/cli/run/run_flags.hpp"
#include "dse/cli/run/supervise.hpp"
#include "dse/cli/verb.hpp"
#include "dse/job/mpi.hpp"
#include "dse/space/search_names.hpp"
#include "dse/store/result/result_writer.hpp"
#include "dse/task/replay.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>

namespace pimdse::dse::cli::run {
namespace {

Manual const explore_manual{
    "pimdse explore SPACE -o FILE.h5 [flags]   or   pimdse explore --refine FILE.h5 --fidelity F -o FINER.h5 [flags]",
    "Explores a space and writes every answer and the front to FILE.h5; alone on all cores, or as an MPI job.",
    "  mpirun -n 4 pimdse explore spaces/quick.toml -o quick.h5\n"
    "evaluates the shipped quick space on four ranks; `pimdse front quick.h5` then prints its front.",
    {"space"}};

po::options_description flags() {
    po::options_description description("Flags");
    add_run_flags(description);
    add_refine_flags(description);
    auto add = description.add_options();
    add("strategy", po::value<std::string>(), "sweep, random, sobol, ladder, nsga2, pls (pimdse list strategies)");
    add("budget", po::value<std::string>(), "how many points at most (0: all); of a ladder: at cycle level");
    add("seed", po::value<std::string>(), "decides every random choice");
    add("stop-after-no-gain", po::value<std::string>(),
        "stop after so many answers in a row that add nothing to the hypervolume");
    add("epsilon", po::value<std::string>(),
        "of a ladder: leave out what could improve no objective by more than this share (0.02: 2 %)");
    add("audit", po::value<std::string>(),
        "of a ladder: answer so many of the points that bounds left out, to see whether rightly");
    add("warm-start", po::value<std::string>(),
        "FILE.h5: an earlier file of the same space, whose answers nsga2 and pls begin with");
    add("keep", po::value<std::string>(),
        "all: every answer; front: of each 65,536 ids what nobody among them dominates");
    add("time-limit", po::value<std::string>(), "stop in time, resumable: \"90 s\", \"2 h\"");
    add("progress", po::value<std::string>()->default_value("auto"), "auto, bar, plain or none");
    add("shard", po::value<std::string>(), "K/N: only the K-th of N parts (from 0), to be joined by pimdse merge");
    add("dry-run", "say what would be evaluated, and stop");
    add("supervise", "start the job, and start it again with --resume after a loss");
    add("launch", po::value<std::string>(), "with --supervise: what starts the ranks, such as \"mpirun -n 4\"");
    add("restarts", po::value<std::string>()->default_value("5"),
        "with --supervise: how often at most without an answer in between");
    add("spare-nodes", po::value<std::string>(),
        "with --supervise under Slurm: how many nodes may be lost (unless given: half of them)");
    add_format(description);
    return description;
}

/// "2/8" as (2, 8).
std::pair<std::uint64_t, std::uint64_t> shard_of(std::string const& text) {
    auto const slash = text.find('/');
    try {
        auto const shard = read_number<std::uint64_t>("K", text.substr(0, slash));
        auto const shards = read_number<std::uint64_t>("N", slash == std::string::npos ? "" : text.substr(slash + 1));
        if (shard < shards) return {shard, shards};
    } catch (UsageError const&) {
        // said below
    }
    throw UsageError(fmt::format("--shard '{}' is no part K/N with K from 0 to N-1", text));
}

RunRequest request_of(po::variables_map const& values, std::vector<std::string> const& arguments) {
    auto request = run_request_of(values, explore_manual, "explore", arguments);
    request.strategy = given<std::string>(values, "strategy");
    request.budget = given_number<std::uint64_t>(values, "budget");
    request.seed = given_number<std::uint64_t>(values, "seed");
    request.stop_after_no_gain = given_number<std::uint64_t>(values, "stop-after-no-gain");
    request.epsilon = given_number<double>(values, "epsilon");
    request.audit = given_number<std::uint64_t>(values, "audit");
    request.warm_start = given<std::string>(values, "warm-start");
    if (values.contains("shard")) std::tie(request.shard, request.shards) = shard_of(values["shard"].as<std::string>());
    if (values.contains("time-limit")) request.seconds_allowed = seconds_of(values, "time-limit");
    if (values.contains("keep"))
        request.keep = from_flag("--keep", [&] { return space::parse_keep(values["keep"].as<std::string>()); });
    request.progress = values["progress"].as<std::string>();
    (void)progress_style(request.progress);
    request.format = format_of(values);
    refine(values, request);
    return request;
}

/// The words of the command line without those that are for the supervisor.
std::vector<std::string> words_for_the_job(std::vector<std::string> const& arguments) {
    constexpr std::array<std::string_view, 4> for_supervisor{"--launch", "--restarts", "--spare-nodes", "--time-limit"};
    std::vector<std::string> words;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string const& word = arguments[i];
        bool const has_value =
            std::any_of(for_supervisor.begin(), for_supervisor.end(), [&](auto flag) { return word == flag; });
        bool const joined = std::any_of(for_supervisor.begin(), for_supervisor.end(),
                                        [&](auto flag) { return word.starts_with(std::string(flag) + "="); });
        if (has_value)
            ++i;
        else if (!joined && word != "--supervise")
            words.push_back(word);
    }
    return words;
}

/// They would be ignored, and one process would do what ranks were asked for.
void refuse_flags_without_supervisor(po::variables_map const& values) {
    if (values.contains("supervise")) return;
    for (char const* flag : {"launch", "restarts", "spare-nodes"}) {
        if (values.contains(flag) && !values[flag].defaulted())
            throw UsageError(fmt::format("--{} means nothing without --supervise. Add --supervise?", flag));
    }
}

int run_supervised(po::variables_map const& values, std::vector<std::string> const& arguments) {
    if (job::launched_by_mpi()) {
        throw UsageError(
            "--supervise starts the ranks itself, so it cannot run inside them (write pimdse explore ... --supervise "
            "--launch \"mpirun -n 4\")");
    }
    Supervision how;
    if (values.contains("launch")) how.launcher = po::split_unix(values["launch"].as<std::string>());
    how.words = words_for_the_job(arguments);
    how.output = needed(values, "output", explore_manual);
    how.restarts = number_of<int>(values, "restarts", {0, 1'000'000});
    how.spare_nodes = given_number<int>(values, "spare-nodes", {0, 1'000'000});
    if (values.contains("time-limit")) how.seconds_allowed = seconds_of(values, "time-limit");
    return supervise(how);
}

}  // namespace

int run_explore(std::vector<std::string> const& arguments) {
    auto const values = parse(explore_manual, flags(), arguments);
    if (!values) return complete;
    auto const request = request_of(*values, arguments);
    refuse_flags_without_supervisor(*values);
    if (values->contains("supervise")) return run_supervised(*values, arguments);
    if (request.dry_run && request.format != Format::text)
        throw UsageError("a dry run is told in text (--format is of results)");
    if (request.refined && request.dry_run) {
        auto const finer = std::ranges::count_if(*request.refined, [&](task::Task const& task) {
            return models::name_of(task.fidelity) == *request.fidelity;
        });
        std::cout << fmt::format("{} of {} would be evaluated at {} fidelity\n{}",
                                 counted(static_cast<std::uint64_t>(finer), "point"),
                                 request.space_file.filename().string(), *request.fidelity, request.not_refined);
        return complete;
    }
    auto const summary = run(request);
    if (!summary) return complete;
    print_summary(*summary, request.format);
    if (request.refined && request.format == Format::text)
        std::cout << fmt::format(
            "(this front is of the {} chosen; others may be better at {} fidelity: --strategy ladder "
            "asks all that may be)\n{}",
            counted(request.refined->size(), "point"), *request.fidelity, request.not_refined);
    else if (request.refined)
        std::cerr << request.not_refined;
    return summary->exit_code();
}

}  // namespace pimdse::dse::cli::run
