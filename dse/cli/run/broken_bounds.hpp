#pragma once

#include "dse/cli/run/run_request.hpp"
#include "dse/cli/run/run_summary.hpp"

namespace pimdse::dse::cli::run {

/// After the result file was written: throws MismatchError where a cycle-level result is outside a proved analytic
/// bound, of the same run, or of the file that it refines.
void refuse_broken_bounds(RunRequest const& request, RunSummary const& summary);

}  // namespace pimdse::dse::cli::run
