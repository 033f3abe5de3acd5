#include "dse/evaluate/messages.hpp"

#include "dse/task/wire.hpp"

#include <algorithm>

namespace pimdse::dse::evaluate {
namespace {

enum Form : std::uint8_t { run_of_ids = 0, list_of_ids = 1, set_apart = 2 };  // set_apart: added to either

template <class T>
T need(std::optional<T> value) {
    if (!value) throw task::CodecError("a message between ranks is cut off");
    return *std::move(value);
}

}  // namespace

task::Bytes write_chunk(Chunk const& chunk) {
    task::Bytes bytes;
    bytes.reserve(32);
    bool const is_list = !chunk.tasks.is_range();
    task::wire::put(bytes, chunk.sequence);
    task::wire::put(bytes, static_cast<std::uint8_t>(chunk.tasks.fidelity()));
    task::wire::put(bytes, static_cast<std::uint8_t>((is_list ? list_of_ids : run_of_ids) |
                                                     (chunk.tasks.is_quarantined() ? set_apart : 0)));
    task::wire::put(bytes, chunk.tasks.size());
    std::uint64_t const written = is_list ? chunk.tasks.size() : std::min<std::uint64_t>(1, chunk.tasks.size());
    for (std::uint64_t i = 0; i < written; ++i) task::wire::put(bytes, index_of(chunk.tasks.task(i).point));
    return bytes;
}

namespace {

models::Fidelity read_fidelity(task::wire::Reader& from) {
    auto const number = need(from.take<std::uint8_t>());
    if (number >= models::fidelity_names.size()) throw task::CodecError("a message between ranks has no fidelity");
    return static_cast<models::Fidelity>(number);
}

}  // namespace

Chunk read_chunk(std::span<std::byte const> bytes) {
    task::wire::Reader from(bytes);
    auto const sequence = need(from.take<std::uint64_t>());
    auto const fidelity = read_fidelity(from);
    auto const form = need(from.take<std::uint8_t>());
    auto const count = need(from.take<std::uint64_t>());
    task::Batch tasks;
    if ((form & list_of_ids) == 0) {
        tasks = task::Batch::range(count > 0 ? task::PointId{need(from.take<std::uint64_t>())} : task::PointId{}, count,
                                   fidelity);
    } else {
        if (from.rest().size() % sizeof(task::PointId) != 0 || count != from.rest().size() / sizeof(task::PointId))
            throw task::CodecError("a list of points between ranks is cut off");
        std::vector<task::PointId> points;
        points.reserve(count);
        for (std::uint64_t i = 0; i < count; ++i) points.push_back(task::PointId{need(from.take<std::uint64_t>())});
        tasks = task::Batch::list(std::move(points), fidelity);
    }
    if (!from.empty()) throw task::CodecError("a message between ranks is longer than it says");
    return {sequence, (form & set_apart) != 0 ? tasks.quarantined() : std::move(tasks)};
}

namespace {

void write_findings(task::Bytes& bytes, Findings const& findings) {
    task::Bytes kept;
    kept.reserve(256 * findings.kept.size());
    encode(findings.kept, kept);
    task::wire::put(bytes, index_of(findings.first.point));
    task::wire::put(bytes, static_cast<std::uint8_t>(findings.first.fidelity));
    task::wire::put(bytes, findings.points);
    encode(findings.left_out, bytes);
    task::wire::put(bytes, static_cast<std::uint64_t>(kept.size()));
    bytes.insert(bytes.end(), kept.begin(), kept.end());
}

Findings read_findings(task::wire::Reader& from) {
    Findings findings;
    findings.first.point = task::PointId{need(from.take<std::uint64_t>())};
    findings.first.fidelity = read_fidelity(from);
    findings.points = need(from.take<std::uint64_t>());
    findings.left_out = task::decode_counts(from);
    auto const kept = from.take_bytes(need(from.take<std::uint64_t>()));
    constexpr std::size_t shortest_answer = 24;  // in bytes; what a message claims to hold is not believed further
    findings.kept.reserve(std::min<std::uint64_t>(findings.points, need(kept).size() / shortest_answer));
    task::decode(*kept, findings.kept);
    return findings;
}

}  // namespace

task::Bytes write_finished(FinishedChunk const& finished) {
    task::Bytes bytes;
    task::wire::put(bytes, finished.sequence);
    task::wire::put(bytes, finished.seconds);
    task::wire::put(bytes, static_cast<std::uint8_t>(finished.whole));
    task::wire::put(bytes, finished.answered);
    for (auto const& findings : finished.findings) write_findings(bytes, findings);
    return bytes;
}

FinishedChunk read_finished(std::span<std::byte const> bytes) {
    task::wire::Reader from(bytes);
    FinishedChunk finished;
    finished.sequence = need(from.take<std::uint64_t>());
    finished.seconds = need(from.take_double());
    finished.whole = need(from.take<std::uint8_t>()) != 0;
    finished.answered = need(from.take<std::uint64_t>());
    while (!from.empty()) finished.findings.push_back(read_findings(from));
    return finished;
}

}  // namespace pimdse::dse::evaluate
