#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/cli/options.hpp"
#include "dse/space/space.hpp"
#include "dse/task/certificate.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace pimdse::dse::cli::run {

/// How it ended; only rank 0 has it.
struct RunSummary {
    std::filesystem::path output;
    std::string digest;
    std::uint64_t points = 0, evaluated = 0, remembered = 0, feasible = 0, infeasible = 0, failed = 0;
    std::size_t front = 0;
    double seconds = 0.0;
    bool complete = false;
    std::string ending;  ///< what the strategy says of it; nothing as a rule
    std::optional<task::Certificate> certificate{};
    int ranks = 1, threads = 1;
    std::shared_ptr<space::Space const> space;
    std::shared_ptr<answers::ResultStore const> store;  ///< every answer that is in the file
    [[nodiscard]] int exit_code() const;
};

/// What an exploration came to, on stdout: numbers, front and the commands to try next, `first` before all others; or
/// JSON; or the front as CSV.
void print_summary(RunSummary const& summary, Format format, std::string const& first = "");

}  // namespace pimdse::dse::cli::run
