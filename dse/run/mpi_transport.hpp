#pragma once

#include "dse/run/liveness.hpp"
#include "dse/run/mpi.hpp"
#include "dse/run/transport.hpp"
#include "dse/run/work_settings.hpp"

#include <sys/types.h>
#include <vector>

namespace pimdse::dse::run {

/// Transport to the ranks above 0 of an MPI job, one worker each; used on rank 0. If a rank sends nothing for too long
/// while it holds chunks, the job ends with exit code 75 and can be resumed, because MPI does not survive the loss of a
/// rank. The loss of the launcher has the same effect.
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
    std::vector<double> last_received_;  ///< time of the last message of each rank, by time_
    double last_alive_ = 0.0;            ///< when this process last sent that it is alive
};

/// Sends every worker that the search is over and waits for the replies; results that still arrive are dropped. Ends
/// the job with this exit code (75: resumable) if a worker does not reply in time.
void dismiss_workers(Communicator& ranks, double patience_seconds = 60.0, int exit_code = 75);

}  // namespace pimdse::dse::run
