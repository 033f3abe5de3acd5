#include "dse/run/tcp_transport.hpp"

#include "dse/run/messages.hpp"
#include "dse/space/result.hpp"

#include <utility>

namespace pimdse::dse::run {

std::vector<WorkerKey> TcpTransport::workers() const {
    std::vector<WorkerKey> keys;
    for (auto const& [worker, time] : last_received_) keys.push_back(worker);
    return keys;
}

std::optional<WorkerEvent> TcpTransport::poll() {
    while (dropped_.empty()) {
        auto event = remote_.next();
        if (!event) return std::nullopt;
        if (auto worker_event = event_of(*std::move(event))) return worker_event;
    }
    WorkerKey const worker = dropped_.front();
    dropped_.pop_front();
    return WorkerEvent{WorkerEvent::Kind::left, worker, {}};
}

std::optional<WorkerEvent> TcpTransport::event_of(RemoteWorkers::Event event) {
    WorkerKey const worker = event.worker;
    if (event.kind == RemoteWorkers::Kind::left) {
        last_received_.erase(worker);
        return WorkerEvent{WorkerEvent::Kind::left, worker, {}};
    }
    last_received_[worker] = time_.seconds();
    if (event.kind == RemoteWorkers::Kind::joined) return WorkerEvent{WorkerEvent::Kind::joined, worker, {}};
    if (event.message.tag == Tag::starving) return WorkerEvent{WorkerEvent::Kind::starving, worker, {}};
    if (event.message.tag != Tag::result) return std::nullopt;
    try {
        return WorkerEvent{WorkerEvent::Kind::finished, worker, run::read_finished(event.message.bytes)};
    } catch (space::CodecError const&) {
        drop(worker);
        return std::nullopt;
    }
}

void TcpTransport::drop(WorkerKey worker) {
    remote_.forget(worker);
    last_received_.erase(worker);
    dropped_.push_back(worker);
}

void TcpTransport::submit(WorkerKey worker, Chunk chunk) { remote_.send(worker, Tag::task, write_chunk(chunk)); }

void TcpTransport::recall() {
    for (auto const& [worker, time] : last_received_) remote_.send(worker, Tag::recall, {});
}

void TcpTransport::supervise(std::function<bool(WorkerKey)> const&) {
    (void)time_.turn();
    if (time_.seconds() - last_alive_ < seconds_between_signs_of_life) return;
    last_alive_ = time_.seconds();
    std::vector<WorkerKey> silent;
    for (auto const& [worker, time] : last_received_) {
        remote_.send(worker, Tag::alive, {});
        if (time_.seconds() - time > silence_seconds_) silent.push_back(worker);
    }
    for (auto const worker : silent) drop(worker);
}

}  // namespace pimdse::dse::run
