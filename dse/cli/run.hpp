#pragma once

#include "dse/cli/options.hpp"
#include "dse/cli/run_summary.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/space.hpp"
#include "dse/space/space_reader.hpp"
#include "dse/store/result_writer.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// What to do if the output exists. `salvage` resumes and keeps the intact records of a journal damaged in the middle.
enum class IfExists { refuse, resume, replace, salvage };

/// An exploration as requested on the command line; the same on every rank.
struct RunRequest {
    std::filesystem::path space_file;
    std::filesystem::path output;
    std::optional<std::string> space_text;                    ///< text of the space, if it is not in a file of its own
    std::optional<std::vector<space::Task>> refined;          ///< the tasks of --refine; evaluate no others
    std::string not_refined;                                  ///< message: which tasks stay at a coarser level; or ""
    std::shared_ptr<search::ResultStore const> refined_from;  ///< the rows of the file that is refined
    std::vector<space::Override> overrides;
    std::optional<std::string> strategy, fidelity;
    std::optional<std::uint64_t> budget, seed, stop_after_no_gain, audit;
    std::optional<double> epsilon, within;
    std::optional<std::uint64_t> uncertain, uncertain_seed;  ///< number of draws of uncertain constants; their seed
    std::optional<std::filesystem::path> warm_start;
    std::optional<space::Keep> keep;
    std::uint64_t shard = 0, shards = 1;
    std::uint64_t budget_cap = 0;         ///< 0: none; otherwise a larger space is sampled at random (quick)
    std::vector<std::string> objectives;  ///< empty: those of the space
    std::string_view decides;             ///< minimize or maximize, as a flag says of the only objective; or ""
    IfExists if_exists = IfExists::refuse;
    int threads = 0;
    std::optional<double> seconds_allowed;
    double point_seconds = 3600.0;
    double silence_seconds = 60.0;
    double checkpoint_seconds = 60.0;
    std::uint64_t rows_per_part = store::usual_rows_per_part;
    std::string progress = "auto";
    bool dry_run = false;
    bool served = false;  ///< requests are lines of JSON on standard input, replies go to standard output
    Format format = Format::text;
    std::vector<std::string> words;  ///< the command line, for provenance
    [[nodiscard]] bool resumes() const { return if_exists == IfExists::resume || if_exists == IfExists::salvage; }
};

/// The request that these flags of a verb describe. Throws UsageError.
[[nodiscard]] RunRequest run_request_of(CommandLine const& values);

/// Runs the request, as a single process or as a rank of an MPI job. Returns nothing on ranks other than 0 and after
/// --dry-run.
[[nodiscard]] std::optional<RunSummary> run(RunRequest const& request);

/// Prints to stderr what is valid in a space and its search but perhaps not intended: ranges that do not reach their
/// ends, a sweep whose budget covers only a corner, machines so small that random sampling may miss them.
void print_remarks(space::Space const& space);

/// The cores that this process may use, as JSON text for crowded_hosts().
[[nodiscard]] std::string usable_cores_text();

/// A warning for each host that has more ranks than cores. `hosts` and `cores` have an entry per rank.
[[nodiscard]] std::vector<std::string> crowded_hosts(std::vector<std::string> const& hosts,
                                                     std::vector<std::string> const& cores);

}  // namespace pimdse::dse::cli
