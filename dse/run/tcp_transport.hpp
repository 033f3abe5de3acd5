#pragma once

#include "dse/run/liveness.hpp"
#include "dse/run/remote_workers.hpp"
#include "dse/run/transport.hpp"

#include <deque>
#include <map>

namespace pimdse::dse::run {

/// Transport to workers that join the run over TCP (`pimdse join`) and may leave at any time. A worker that sends
/// nothing for too long, or sends an invalid message, is treated as having left.
class TcpTransport final : public Transport {
  public:
    /// `workers` must outlive this.
    TcpTransport(RemoteWorkers& workers, double silence_seconds)
        : remote_(workers), silence_seconds_(silence_seconds) {}

    [[nodiscard]] std::vector<WorkerKey> workers() const override;
    [[nodiscard]] std::optional<WorkerEvent> poll() override;
    void submit(WorkerKey worker, Chunk chunk) override;
    void recall() override;
    void supervise(std::function<bool(WorkerKey)> const& busy) override;

  private:
    [[nodiscard]] std::optional<WorkerEvent> event_of(RemoteWorkers::Event event);
    void drop(WorkerKey worker);

    RemoteWorkers& remote_;
    double silence_seconds_;
    RunningTime time_;
    std::map<WorkerKey, double> last_received_;  ///< time of the last message of each worker, by time_
    std::deque<WorkerKey> dropped_;              ///< dropped workers whose event `left` is not reported yet
    double last_alive_ = 0.0;                    ///< when this process last sent that it is alive
};

}  // namespace pimdse::dse::run
