#pragma once

#include "dse/run/liveness.hpp"
#include "dse/run/mpi.hpp"
#include "dse/run/transport.hpp"
#include "dse/run/work_settings.hpp"
#include "dse/space/result.hpp"

#include <sys/types.h>
#include <cstddef>
#include <span>
#include <vector>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::run {

/// Messages between coordinator and workers, little-endian. A chunk is its number, its fidelity and either a run of
/// consecutive ids or a list of ids. A finished chunk, or a part of one, is its number, its seconds and the encoded
/// results. The read functions throw CodecError.
[[nodiscard]] space::Bytes write_chunk(Chunk const& chunk);
[[nodiscard]] Chunk read_chunk(std::span<std::byte const> bytes);
[[nodiscard]] space::Bytes write_finished(FinishedChunk const& finished);
[[nodiscard]] FinishedChunk read_finished(std::span<std::byte const> bytes);

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

/// Main loop of a rank above 0: evaluates the chunks that it receives until it is dismissed. Calls `give_up` if the
/// coordinator or the launcher is lost.
void work_for_rank_0(Communicator& ranks, space::Space const& space, WorkSettings const& settings);

}  // namespace pimdse::dse::run
