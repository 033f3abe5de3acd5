#include "dse/run/mpi_transport.hpp"

#include "dse/run/messages.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <chrono>
#include <numeric>
#include <utility>

namespace pimdse::dse::run {

MpiTransport::MpiTransport(Communicator& ranks, WorkSettings settings)
    : ranks_(ranks),
      settings_(std::move(settings)),
      launcher_(::getppid()),
      last_received_(static_cast<std::size_t>(ranks.size()), 0.0) {}

std::vector<WorkerKey> MpiTransport::workers() const {
    std::vector<WorkerKey> ranks(static_cast<std::size_t>(ranks_.size()) - 1);
    std::iota(ranks.begin(), ranks.end(), WorkerKey{1});
    return ranks;
}

std::optional<WorkerEvent> MpiTransport::poll() {
    while (auto const message = ranks_.receive()) {
        auto const rank = static_cast<WorkerKey>(message->source);
        last_received_[rank] = time_.seconds();
        if (message->tag == Tag::starving) return WorkerEvent{WorkerEvent::Kind::starving, rank, {}};
        if (message->tag == Tag::result)
            return WorkerEvent{WorkerEvent::Kind::finished, rank, run::read_finished(message->bytes)};
    }
    return std::nullopt;
}

void MpiTransport::submit(WorkerKey worker, Chunk chunk) {
    ranks_.send(static_cast<int>(worker), Tag::task, write_chunk(chunk));
}

void MpiTransport::recall() {
    for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, Tag::recall, {});
}

void MpiTransport::supervise(std::function<bool(WorkerKey)> const& busy) {
    (void)time_.turn();
    if (::getppid() != launcher_) settings_.give_up("the MPI launcher has ended");
    if (time_.seconds() - last_alive_ < seconds_between_signs_of_life) return;
    last_alive_ = time_.seconds();
    for (int rank = 1; rank < ranks_.size(); ++rank) {
        ranks_.send(rank, Tag::alive, {});
        bool const silent =
            time_.seconds() - last_received_[static_cast<std::size_t>(rank)] > settings_.silence_seconds;
        if (silent && busy(static_cast<WorkerKey>(rank)))
            settings_.end_job(fmt::format("rank {} has sent no message for {} s", rank, settings_.silence_seconds));
    }
}

void dismiss_workers(Communicator& ranks, double patience_seconds, int exit_code) {
    for (int worker = 1; worker < ranks.size(); ++worker) ranks.send(worker, Tag::stop, {});
    BackOff back_off;
    auto const start = std::chrono::steady_clock::now();
    for (int replies = 0; replies < ranks.size() - 1;) {
        auto const message = ranks.receive();
        if (message && message->tag == Tag::stop) ++replies;
        message ? back_off.something_happened() : back_off.nothing_happened();
        if (seconds_since(start) > patience_seconds) ranks.end_job(exit_code);
    }
    ranks.flush();
}

}  // namespace pimdse::dse::run
