#include "dse/run/local_transport.hpp"

#include "dse/run/dispatcher.hpp"

#include <utility>

namespace pimdse::dse::run {

std::optional<WorkerEvent> LocalTransport::poll() {
    if (auto finished = runner_.poll()) return WorkerEvent{WorkerEvent::Kind::finished, 0, *std::move(finished)};
    if (reported_starving_ || !runner_.starving(chunks_in_flight)) return std::nullopt;
    reported_starving_ = true;
    return WorkerEvent{WorkerEvent::Kind::starving, 0, {}};
}

void LocalTransport::submit(WorkerKey, Chunk chunk) {
    runner_.submit(std::move(chunk));
    reported_starving_ = false;
}

void LocalTransport::supervise(std::function<bool(WorkerKey)> const&) {
    runner_.add_suspended(time_.turn());
    runner_.check_point_times();
}

}  // namespace pimdse::dse::run
