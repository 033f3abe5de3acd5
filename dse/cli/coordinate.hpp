#pragma once

#include "dse/cli/earlier_results.hpp"
#include "dse/cli/progress.hpp"
#include "dse/cli/run.hpp"
#include "dse/cli/run_summary.hpp"
#include "dse/cli/verdict.hpp"
#include "dse/run/mpi.hpp"
#include "dse/run/work_settings.hpp"
#include "dse/search/result_store.hpp"
#include "dse/search/robust_front.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// The processes of a run, as rank 0 sees them.
struct Job {
    run::Communicator* ranks = nullptr;  ///< nullptr: a single process
    std::vector<std::string> hosts;
    bool started = false;  ///< the other ranks know the space
    bool waiting = false;  ///< the workers wait for the next pass or their dismissal
    bool dismissed = false;

    /// Ends the work of the workers in the present space; they then wait. If a worker does not do so in time, the job
    /// ends with `code_on_timeout`.
    void release(ExitCode code_on_timeout);
    /// Starts the waiting workers on a pass.
    void announce(std::string const& pass);
    /// Dismisses the workers, only once.
    void dismiss(ExitCode code_on_timeout);
};

/// Runs `work`. If it throws, the process soon ends with the exit code of the exception, even if a point under way
/// takes hours: otherwise a worker would consider rank 0 dead, and the job would end as resumable.
template <class Work>
auto ending_in_time(RunRequest const& request, Work const& work) {
    constexpr double longest = 5.0;
    try {
        return work();
    } catch (...) {
        end_within(std::min(longest, request.silence_seconds / 2.0), verdict_of(std::current_exception()));
        throw;
    }
}

/// The settings of a process of the run. `ranks`: nullptr for a single process.
[[nodiscard]] run::WorkSettings work_settings(RunRequest const& request, run::Communicator const* ranks);

/// The work of rank 0, or of the only process: explores, draws uncertain constants if there are any, dismisses the
/// workers and seals the result file.
[[nodiscard]] RunSummary coordinate(RunRequest const& request, space::Space const& space,
                                    store::journal::Journal journal, Restored& restored, Job& job,
                                    std::optional<uncertain::Uncertainty> const& uncertainty);

/// What [uncertain] of the space and the flags ask for; nullopt if nothing. Throws InputError, and UsageError if the
/// search does not keep every result.
[[nodiscard]] std::optional<uncertain::Uncertainty> uncertainty_of(RunRequest const& request,
                                                                   space::Space const& space);

/// The work of the other ranks: evaluates the passes that rank 0 announces, until it dismisses them.
void work_on_passes(RunRequest const& request, space::Space const& space, run::Communicator& ranks);

}  // namespace pimdse::dse::cli
