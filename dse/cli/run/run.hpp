#pragma once

#include "dse/cli/run/run_request.hpp"
#include "dse/cli/run/run_summary.hpp"

#include <optional>

namespace pimdse::dse::cli::run {

/// Runs it, alone or as a rank of an MPI job; nothing on ranks other than 0 and after --dry-run.
[[nodiscard]] std::optional<RunSummary> run(RunRequest const& request);

}  // namespace pimdse::dse::cli::run
