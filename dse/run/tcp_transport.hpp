#pragma once

#include "dse/run/liveness.hpp"
#include "dse/run/remote_workers.hpp"
#include "dse/run/transport.hpp"

#include <deque>
#include <map>

namespace pimdse::dse::run {

/// Workers that join the run over TCP (`pimdse join`) and leave when they like. One that is silent for too long, or
/// sends what is no message, is taken to have left.
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
    std::map<WorkerKey, double> heard_;  ///< when something last came from each worker, by time_
    std::deque<WorkerKey> dropped_;      ///< not reported yet
    double last_sign_ = 0.0;
};

}  // namespace pimdse::dse::run
