#pragma once

#include "dse/cli/options.hpp"
#include "dse/cli/run/progress.hpp"
#include "dse/space/space.hpp"
#include "dse/store/result/result_file.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// `salvage` resumes and keeps the whole records of a journal that is damaged in the middle.
enum class IfExists { refuse, resume, replace, salvage };

/// An exploration as asked for on the command line; the same on every rank.
struct RunRequest {
    std::filesystem::path space_file;
    std::filesystem::path output;
    std::vector<Override> overrides;
    std::optional<std::string> strategy, fidelity;
    std::optional<std::uint64_t> budget, seed;
    std::optional<Keep> keep;
    std::uint64_t shard = 0, shards = 1;
    std::uint64_t budget_cap = 0;         ///< 0: none; quick explores a random sample of a larger space
    std::vector<std::string> objectives;  ///< empty: those of the space
    IfExists if_exists = IfExists::refuse;
    int threads = 0;
    std::optional<double> seconds_allowed;
    double point_seconds = 3600.0;
    double silence_seconds = 60.0;
    double checkpoint_seconds = 60.0;
    std::uint64_t rows_per_part = usual_rows_per_part;
    std::string progress = "auto";
    bool dry_run = false;
    bool joinable = false;        ///< lets `pimdse join` add workers
    std::uint16_t join_port = 0;  ///< 0: any
    Format format = Format::text;
    std::vector<std::string> words;  ///< the command line, for provenance
};

/// How it ended; only rank 0 has it.
struct RunSummary {
    std::filesystem::path output;
    std::string digest;
    std::uint64_t points = 0, evaluated = 0, remembered = 0, feasible = 0, infeasible = 0, failed = 0;
    std::size_t front = 0;
    double seconds = 0.0;
    bool complete = false;
    int ranks = 1, threads = 1;
    std::shared_ptr<Space const> space;
    std::shared_ptr<ResultStore const> store;  ///< every answer that is in the file
    [[nodiscard]] int exit_code() const;
};

/// Runs it, alone or as a rank of an MPI job; nothing on ranks other than 0 and after --dry-run.
[[nodiscard]] std::optional<RunSummary> run(RunRequest const& request);

}  // namespace pimdse::dse::cli
