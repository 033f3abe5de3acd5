#include "dse/run/mpi_transport.hpp"

#include "dse/run/chunk_runner.hpp"
#include "dse/run/dispatcher.hpp"
#include "sim/base/wire.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <utility>

namespace pimdse::dse::run {
namespace {

enum Form : std::uint8_t { run_of_ids = 0, list_of_ids = 1, quarantined = 2 };  // quarantined: a flag in addition

template <class T>
T need(std::optional<T> value) {
    if (!value) throw space::CodecError("a message between processes is truncated");
    return *std::move(value);
}

models::Fidelity read_fidelity(sim::wire::Reader& from) {
    auto const number = need(from.take<std::uint8_t>());
    if (number >= models::fidelity_names.size())
        throw space::CodecError("a message between processes has an unknown fidelity: " + std::to_string(number));
    return static_cast<models::Fidelity>(number);
}

void write_result(space::Bytes& bytes, ChunkResult const& result) {
    space::Bytes kept;
    kept.reserve(256 * result.kept.size());
    encode(result.kept, kept);
    sim::wire::put(bytes, result.first.point, result.first.fidelity, result.points);
    encode(result.left_out, bytes);
    sim::wire::put(bytes, static_cast<std::uint64_t>(kept.size()));
    bytes.insert(bytes.end(), kept.begin(), kept.end());
}

ChunkResult read_result(sim::wire::Reader& from) {
    ChunkResult result;
    result.first.point = space::PointId{need(from.take<std::uint64_t>())};
    result.first.fidelity = read_fidelity(from);
    result.points = need(from.take<std::uint64_t>());
    result.left_out = space::decode_counts(from);
    auto const kept = from.take_bytes(need(from.take<std::uint64_t>()));
    constexpr std::size_t shortest_result = 24;  // bytes; limits the memory reserved for a stated number of results
    result.kept.reserve(std::min<std::uint64_t>(result.points, need(kept).size() / shortest_result));
    space::decode(*kept, result.kept);
    return result;
}

}  // namespace

space::Bytes write_chunk(Chunk const& chunk) {
    space::Bytes bytes;
    bytes.reserve(32);
    bool const is_list = !chunk.tasks.is_range();
    auto const form = (is_list ? list_of_ids : run_of_ids) | (chunk.tasks.is_quarantined() ? quarantined : 0);
    sim::wire::put(bytes, chunk.sequence, chunk.tasks.fidelity(), static_cast<std::uint8_t>(form), chunk.tasks.size());
    std::uint64_t const written = is_list ? chunk.tasks.size() : std::min<std::uint64_t>(1, chunk.tasks.size());
    for (std::uint64_t i = 0; i < written; ++i) sim::wire::put(bytes, chunk.tasks.task(i).point);
    return bytes;
}

Chunk read_chunk(std::span<std::byte const> bytes) {
    sim::wire::Reader from(bytes);
    auto const sequence = need(from.take<std::uint64_t>());
    auto const fidelity = read_fidelity(from);
    auto const form = need(from.take<std::uint8_t>());
    auto const count = need(from.take<std::uint64_t>());
    space::Batch tasks;
    if ((form & list_of_ids) == 0) {
        tasks = space::Batch::range(count > 0 ? space::PointId{need(from.take<std::uint64_t>())} : space::PointId{},
                                    count, fidelity);
    } else {
        if (from.rest().size() % sizeof(space::PointId) != 0 || count != from.rest().size() / sizeof(space::PointId))
            throw space::CodecError("a list of points in a message between processes does not have its stated length");
        std::vector<space::PointId> points;
        points.reserve(count);
        for (std::uint64_t i = 0; i < count; ++i) points.push_back(space::PointId{need(from.take<std::uint64_t>())});
        tasks = space::Batch::list(std::move(points), fidelity);
    }
    if (!from.empty()) throw space::CodecError("a message between processes is longer than its stated length");
    return {sequence, (form & quarantined) != 0 ? tasks.quarantined() : std::move(tasks)};
}

space::Bytes write_finished(FinishedChunk const& finished) {
    space::Bytes bytes;
    sim::wire::put(bytes, finished.sequence, finished.seconds, static_cast<std::uint8_t>(finished.whole),
                   finished.evaluated);
    for (auto const& result : finished.results) write_result(bytes, result);
    return bytes;
}

FinishedChunk read_finished(std::span<std::byte const> bytes) {
    sim::wire::Reader from(bytes);
    FinishedChunk finished;
    finished.sequence = need(from.take<std::uint64_t>());
    finished.seconds = need(from.take_double());
    finished.whole = need(from.take<std::uint8_t>()) != 0;
    finished.evaluated = need(from.take<std::uint64_t>());
    while (!from.empty()) finished.results.push_back(read_result(from));
    return finished;
}

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

void work_for_rank_0(Communicator& ranks, space::Space const& space, WorkSettings const& settings) {
    auto const launcher = ::getppid();
    ChunkRunner runner(space, settings);
    BackOff back_off;
    RunningTime time;
    double last_received = 0.0;
    double last_sent = 0.0;
    bool reported_starving = false;  // since the last chunk was received
    while (true) {
        bool busy = false;
        while (auto message = ranks.receive()) {
            last_received = time.seconds();
            busy = true;
            if (message->tag == Tag::recall || message->tag == Tag::stop) runner.recall();
            if (message->tag == Tag::stop) return ranks.send(0, Tag::stop, {});
            if (message->tag != Tag::task) continue;
            runner.submit(run::read_chunk(message->bytes));
            reported_starving = false;
        }
        while (auto finished = runner.poll()) {
            ranks.send(0, Tag::result, write_finished(*finished));
            last_sent = time.seconds();
            busy = true;
        }
        if (!reported_starving && runner.starving(chunks_in_flight)) {
            ranks.send(0, Tag::starving, {});
            reported_starving = true;
        }
        if (time.seconds() - last_sent > seconds_between_signs_of_life) {
            ranks.send(0, Tag::alive, {});
            last_sent = time.seconds();
        }
        runner.add_suspended(time.turn());
        runner.check_point_times();
        if (time.seconds() - last_received > settings.silence_seconds)
            settings.give_up(fmt::format("the coordinator has sent no message for {} s", settings.silence_seconds));
        if (::getppid() != launcher) settings.give_up("the MPI launcher has ended");
        busy ? back_off.something_happened() : back_off.nothing_happened();
    }
}

}  // namespace pimdse::dse::run
