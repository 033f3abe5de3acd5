#pragma once

#include "dse/run/chunk_runner.hpp"
#include "dse/run/liveness.hpp"
#include "dse/run/transport.hpp"

namespace pimdse::dse::run {

/// Transport with one worker, the TBB threads of this process.
class LocalTransport final : public Transport {
  public:
    LocalTransport(space::Space const& space, WorkSettings const& settings) : runner_(space, settings) {}

    [[nodiscard]] std::vector<WorkerKey> workers() const override { return {0}; }
    [[nodiscard]] std::optional<WorkerEvent> poll() override;
    void submit(WorkerKey worker, Chunk chunk) override;
    void recall() override { runner_.recall(); }
    void supervise(std::function<bool(WorkerKey)> const& busy) override;

  private:
    ChunkRunner runner_;
    RunningTime time_;
    bool reported_starving_ = false;  ///< since the last chunk was submitted
};

}  // namespace pimdse::dse::run
