#pragma once

#include "dse/cli/earlier_results.hpp"
#include "dse/cli/run_request.hpp"
#include "dse/cli/run_summary.hpp"
#include "dse/cli/verdict.hpp"
#include "dse/run/mpi.hpp"
#include "dse/run/work_settings.hpp"
#include "dse/run/worker_process.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::cli {

/// The processes of a run, as the first of them sees them.
struct Job {
    run::Communicator* ranks = nullptr;  ///< nullptr: a single process
    std::vector<std::string> hosts;
    bool dismissed = false;

    /// The workers leave once; who still waits for one that does not ends the job with this code.
    void dismiss(ExitCode otherwise);
};

/// Runs `work`. When it throws, the process soon ends with the right code even where a point under way takes hours:
/// before a worker takes rank 0 for dead and the job would end as resumable.
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

/// How a process of the run works. `ranks`: nullptr where it is alone.
[[nodiscard]] run::WorkSettings work_settings(RunRequest const& request, run::Communicator const* ranks);

/// Rank 0, or the only process: explores, dismisses the workers, seals the result file.
[[nodiscard]] RunSummary coordinate(RunRequest const& request, space::Space const& space,
                                    store::journal::Journal journal, Restored& restored, Job& job);

/// How this program starts itself as a worker process; the space as the run was given it.
[[nodiscard]] run::WorkerProcess::Settings worker_settings(std::string space_name,
                                                           std::vector<std::pair<std::string, std::string>> overrides,
                                                           double seconds_per_point);

}  // namespace pimdse::dse::cli
