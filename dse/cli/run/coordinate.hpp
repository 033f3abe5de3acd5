#pragma once

#include "dse/cli/exit_code.hpp"
#include "dse/cli/run/remembered.hpp"
#include "dse/cli/run/run_request.hpp"
#include "dse/cli/run/run_summary.hpp"
#include "dse/cli/verdict.hpp"
#include "dse/evaluate/work_settings.hpp"
#include "dse/job/mpi.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

namespace pimdse::dse::cli::run {

/// The processes of a run, as the first of them sees them.
struct Job {
    job::Communicator* ranks = nullptr;  ///< nullptr: a single process
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
[[nodiscard]] evaluate::WorkSettings work_settings(RunRequest const& request, job::Communicator const* ranks);

/// Rank 0, or the only process: explores, dismisses the workers, seals the result file.
[[nodiscard]] RunSummary coordinate(RunRequest const& request, space::Space const& space,
                                    store::journal::Journal journal, Remembered& remembered, Job& job);

}  // namespace pimdse::dse::cli::run
