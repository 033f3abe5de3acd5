#include "dse/cli/run_request.hpp"

#include "dse/cli/named_files.hpp"
#include "dse/cli/question.hpp"
#include "sim/base/words.hpp"

#include <limits>

namespace pimdse::dse::cli {

void add_run_flags(po::options_description& flags) {
    auto add = flags.add_options();
    add("output,o", po::value<std::string>(), "the result file to write");
    add("fidelity", po::value<std::string>(), "analytic, cycle, or hybrid: both, as --strategy ladder");
    add("objectives", po::value<std::string>(),
        "metrics to optimise, separated by commas, instead of those of the space");
    add("threads", po::value<std::string>()->default_value("0"),
        "threads per rank (0: PIMDSE_THREADS, SLURM_CPUS_PER_TASK, or all cores that this host allows)");
    add("set", po::value<std::vector<std::string>>()->composing(), "name=value: replaces a parameter of the space");
    add("assume", po::value<std::vector<std::string>>()->composing(),
        "name=value: replaces an assumption of the space");
    add("resume", "continue FILE.h5");
    add("force", "replace FILE.h5; with --resume: continue with the intact records of a damaged journal");
    add("point-timeout", po::value<std::string>()->default_value("1 h"),
        "time limit of a point; a point that takes longer counts as failed");
    add("silence", po::value<std::string>()->default_value("60 s"),
        "a rank that is silent for this time ends the job, resumable");
    add("part-rows", po::value<std::string>()->default_value(std::to_string(store::usual_rows_per_part)),
        "rows in one file; more rows are stored in parts in FILE.h5.parts");
    add("checkpoint", po::value<std::string>()->default_value("1 min"),
        "interval at which FILE.h5 is updated during the run");
}

RunRequest run_request_of(po::variables_map const& values, Manual const& manual, std::string const& verb,
                          std::vector<std::string> const& arguments) {
    RunRequest request;
    auto const named = values.contains("refine") ? values["refine"].as<std::string>() : needed(values, "space", manual);
    request.dry_run = values.contains("dry-run");
    if (!request.dry_run || values.contains("output")) request.output = output_file(needed(values, "output", manual));
    if (values.contains("model")) {
        request.space_text = asked_space(values, named);
        request.space_file = "asked.toml";
    } else {
        request.space_file = values.contains("refine") ? std::filesystem::path(named) : space_file(named);
    }
    refuse_same_file(request.space_file, request.output);
    request.overrides = overrides_of(values);
    request.fidelity = given<std::string>(values, "fidelity");
    if (values.contains("objectives")) request.objectives = sim::words_of(values["objectives"].as<std::string>(), ',');
    if (values.contains("resume")) request.if_exists = IfExists::resume;
    if (values.contains("force")) request.if_exists = values.contains("resume") ? IfExists::salvage : IfExists::replace;
    request.threads = threads_of(values);
    request.point_seconds = seconds_of(values, "point-timeout");
    request.silence_seconds = seconds_of(values, "silence");
    request.rows_per_part =
        number_of<std::uint64_t>(values, "part-rows", {1, std::numeric_limits<search::ResultStore::Row>::max()});
    request.checkpoint_seconds = seconds_of(values, "checkpoint");
    request.words = {"pimdse", verb};
    request.words.insert(request.words.end(), arguments.begin(), arguments.end());
    return request;
}

}  // namespace pimdse::dse::cli
