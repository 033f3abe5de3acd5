#include "dse/store/journal/format.hpp"

#include "dse/store/checksum.hpp"
#include "dse/task/wire.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <limits>

namespace pimdse::dse::store::journal::format {

void put_record(task::Bytes& into, std::uint64_t sequence, RecordKind kind,
                std::function<void(task::Bytes&)> const& put_payload) {
    std::size_t const start = into.size();
    task::wire::put(into, std::uint64_t{0});  // length and checksum, known below
    task::wire::put(into, sequence);
    task::wire::put(into, static_cast<std::uint8_t>(kind));
    put_payload(into);
    std::size_t const length = into.size() - start - record_head;
    sim::expects(length <= longest_payload, "a journal record is not larger than 256 MiB");
    task::wire::set(into.data() + start, static_cast<std::uint32_t>(length));
    task::wire::set(into.data() + start + 4, crc32(std::span(into).subspan(start + 8)));
}

void put_started(task::Bytes& into, Started const& started) {
    bool const is_list = !started.points.empty();
    task::wire::put(into, static_cast<std::uint8_t>(started.fidelity));
    task::wire::put(into, static_cast<std::uint8_t>(is_list));
    task::wire::put(into, started.size());
    if (!is_list) task::wire::put(into, index_of(started.first));
    for (auto const point : started.points) task::wire::put(into, index_of(point));
}

void put_standing(task::Bytes& into, task::Standing const& standing) {
    for (auto const number : {standing.closed, standing.flying, standing.open}) task::wire::put(into, number);
    task::wire::put(into, standing.gap);
    task::wire::put(into, static_cast<std::uint8_t>(standing.gap_is_rough));
}

namespace {

task::Standing take_standing(task::wire::Reader& from) {
    auto const closed = from.take<std::uint64_t>(), flying = from.take<std::uint64_t>();
    auto const open = from.take<std::uint64_t>();
    auto const gap = from.take_double();
    auto const rough = from.take<std::uint8_t>();
    if (!rough || *rough > 1 || !from.empty())
        throw task::CodecError("a note of where a search stands is no such note");
    return {*closed, *flying, *open, *gap, *rough != 0};
}

/// `from` is behind the kind. A run of any length is one number; a list is as long as its bytes say.
Started take_started(task::wire::Reader& from) {
    auto const fidelity = from.take<std::uint8_t>();
    auto const is_list = from.take<std::uint8_t>();
    auto const count = from.take<std::uint64_t>();
    if (!count) throw task::CodecError("a mark of started points is cut off");
    if (*fidelity >= models::fidelity_names.size() || *is_list > 1)
        throw task::CodecError("a mark of started points is of an unknown kind");
    bool const list = *is_list != 0;
    std::size_t const numbers = from.rest().size() / sizeof(std::uint64_t);
    if (from.rest().size() % sizeof(std::uint64_t) != 0 || (list ? *count : 1) != numbers)
        throw task::CodecError("a mark of started points is not as long as it says");
    Started started{static_cast<models::Fidelity>(*fidelity), {}, list ? 0 : *count, {}};
    if (!list)
        started.first = task::PointId{*from.take<std::uint64_t>()};
    else
        started.points.reserve(numbers);
    while (!from.empty()) started.points.push_back(task::PointId{*from.take<std::uint64_t>()});
    if (started.count > std::numeric_limits<std::uint64_t>::max() - index_of(started.first))
        throw task::CodecError("a mark of started points ends beyond the last number there is");
    return started;
}

void check_metrics(std::span<task::Answer const> answers, std::uint64_t expected) {
    for (auto const& answer : answers) {
        auto const* const metrics = std::get_if<models::Metrics>(&answer.outcome);
        if (metrics == nullptr || metrics->size() == expected) continue;
        throw task::CodecError(fmt::format("the answer to point {} has {} metrics, its head declares {}",
                                           index_of(answer.task.point), metrics->size(), expected));
    }
}

template <class T>
T checked(T summary, std::uint64_t metrics) {
    check_metrics(summary.kept, metrics);
    return summary;
}

}  // namespace

void deliver(std::span<std::byte const> payload, std::uint64_t metrics, JournalSink const& sink) {
    task::wire::Reader from(payload);
    auto const kind = static_cast<RecordKind>(from.take<std::uint8_t>().value_or(0));
    auto const body = from.rest();
    switch (kind) {
        case RecordKind::answer: {
            if (!sink.answer) return;
            auto answers = task::decode(body);
            check_metrics(answers, metrics);
            for (auto& answer : answers) sink.answer(std::move(answer));
            return;
        }
        case RecordKind::started:
            if (sink.started) sink.started(take_started(from));
            return;
        case RecordKind::block:
            if (sink.block) sink.block(checked(task::decode_block(body), metrics));
            return;
        case RecordKind::part:
            if (sink.part) sink.part(checked(task::decode_part(body), metrics));
            return;
        case RecordKind::standing:
            if (sink.standing) sink.standing(take_standing(from));
            return;
    }
    throw task::CodecError(fmt::format("a record is of an unknown kind ({})", static_cast<int>(kind)));
}

}  // namespace pimdse::dse::store::journal::format
