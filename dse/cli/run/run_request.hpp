#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/cli/options.hpp"
#include "dse/space/space.hpp"
#include "dse/space_file/space_reader.hpp"
#include "dse/store/result/result_writer.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::cli::run {

/// `salvage` resumes and keeps the whole records of a journal that is damaged in the middle.
enum class IfExists { refuse, resume, replace, salvage };

/// An exploration as asked for on the command line; the same on every rank.
struct RunRequest {
    std::filesystem::path space_file;
    std::filesystem::path output;
    std::optional<std::string> space_text;                     ///< of the space, where it is not in a file of its own
    std::optional<std::vector<task::Task>> refined;            ///< these and no others (--refine)
    std::string not_refined;                                   ///< which of them stay at a coarser level, or ""
    std::shared_ptr<answers::ResultStore const> refined_from;  ///< the rows of the file that is refined
    std::vector<space_file::Override> overrides;
    std::optional<std::string> strategy, fidelity;
    std::optional<std::uint64_t> budget, seed, stop_after_no_gain, audit;
    std::optional<double> epsilon;
    std::optional<std::filesystem::path> warm_start;
    std::optional<space::Keep> keep;
    std::uint64_t shard = 0, shards = 1;
    std::uint64_t budget_cap = 0;         ///< 0: none; quick explores a random sample of a larger space
    std::vector<std::string> objectives;  ///< empty: those of the space
    IfExists if_exists = IfExists::refuse;
    int threads = 0;
    std::optional<double> seconds_allowed;
    double point_seconds = 3600.0;
    double silence_seconds = 60.0;
    double checkpoint_seconds = 60.0;
    std::uint64_t rows_per_part = store::result::usual_rows_per_part;
    std::string progress = "auto";
    bool dry_run = false;
    bool served = false;          ///< points come as lines of JSON on standard input, and answers go to standard output
    bool joinable = false;        ///< lets `pimdse join` add workers
    std::uint16_t join_port = 0;  ///< 0: any
    Format format = Format::text;
    std::vector<std::string> words;  ///< the command line, for provenance
};

}  // namespace pimdse::dse::cli::run
