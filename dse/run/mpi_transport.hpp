#pragma once

#include "dse/run/liveness.hpp"
#include "dse/run/mpi.hpp"
#include "dse/run/transport.hpp"
#include "dse/run/work_settings.hpp"

#include <sys/types.h>
#include <vector>

namespace pimdse::dse::run {

/// The ranks above 0 of an MPI job, one worker each; used on rank 0. A rank that is silent for too long while it holds
/// chunks ends the job with exit code 75, so that it can be resumed: MPI does not survive the loss of a rank. So does
/// the loss of the launcher.
class MpiTransport final : public Transport {
  public:
    MpiTransport(Communicator& ranks, WorkSettings settings);

    [[nodiscard]] std::vector<WorkerKey> workers() const override;
    [[nodiscard]] std::optional<WorkerEvent> poll() override;
    void submit(WorkerKey worker, Chunk chunk) override;
    void recall() override;
    void supervise(std::function<bool(WorkerKey)> const& busy) override;

  private:
    Communicator& ranks_;
    WorkSettings settings_;
    pid_t launcher_;
    RunningTime time_;
    std::vector<double> heard_;  ///< when something last came from each rank, by time_
    double last_sign_ = 0.0;
};

/// Tells every worker that the search is over and waits for each to agree; results that still arrive are dropped. Ends
/// the job with this exit code (75: resumable) when one does not agree in time.
void dismiss_workers(Communicator& ranks, double patience_seconds = 60.0, int exit_code = 75);

}  // namespace pimdse::dse::run
