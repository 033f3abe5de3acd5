#include "dse/store/journal/format.hpp"

#include "dse/store/checksum.hpp"
#include "dse/task/wire.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <limits>

namespace pimdse::dse::journal_format {

void put_record(Bytes& into, std::uint64_t sequence, RecordKind kind, std::function<void(Bytes&)> const& put_payload) {
    std::size_t const start = into.size();
    wire::put(into, std::uint64_t{0});  // length and checksum, known below
    wire::put(into, sequence);
    wire::put(into, static_cast<std::uint8_t>(kind));
    put_payload(into);
    std::size_t const length = into.size() - start - record_head;
    sim::expects(length <= longest_payload, "a journal record is not larger than 256 MiB");
    wire::set(into.data() + start, static_cast<std::uint32_t>(length));
    wire::set(into.data() + start + 4, crc32(std::span(into).subspan(start + 8)));
}

void put_started(Bytes& into, Started const& started) {
    bool const is_list = !started.points.empty();
    wire::put(into, static_cast<std::uint8_t>(started.fidelity));
    wire::put(into, static_cast<std::uint8_t>(is_list));
    wire::put(into, started.size());
    if (!is_list) wire::put(into, index_of(started.first));
    for (auto const point : started.points) wire::put(into, index_of(point));
}

namespace {

/// `from` is behind the kind. A run of any length is one number; a list is as long as its bytes say.
Started take_started(wire::Reader& from) {
    auto const fidelity = from.take<std::uint8_t>();
    auto const is_list = from.take<std::uint8_t>();
    auto const count = from.take<std::uint64_t>();
    if (!count) throw CodecError("a mark of started points is cut off");
    if (*fidelity >= models::fidelity_names.size() || *is_list > 1)
        throw CodecError("a mark of started points is of an unknown kind");
    bool const list = *is_list != 0;
    std::size_t const numbers = from.rest().size() / sizeof(std::uint64_t);
    if (from.rest().size() % sizeof(std::uint64_t) != 0 || (list ? *count : 1) != numbers)
        throw CodecError("a mark of started points is not as long as it says");
    Started started{static_cast<models::Fidelity>(*fidelity), {}, list ? 0 : *count, {}};
    if (!list)
        started.first = PointId{*from.take<std::uint64_t>()};
    else
        started.points.reserve(numbers);
    while (!from.empty()) started.points.push_back(PointId{*from.take<std::uint64_t>()});
    if (started.count > std::numeric_limits<std::uint64_t>::max() - index_of(started.first))
        throw CodecError("a mark of started points ends beyond the last number there is");
    return started;
}

void check_metrics(std::span<Answer const> answers, std::uint64_t expected) {
    for (auto const& answer : answers) {
        auto const* const metrics = std::get_if<models::Metrics>(&answer.outcome);
        if (metrics == nullptr || metrics->size() == expected) continue;
        throw CodecError(fmt::format("the answer to point {} has {} metrics, its head declares {}",
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
    wire::Reader from(payload);
    auto const kind = static_cast<RecordKind>(from.take<std::uint8_t>().value_or(0));
    auto const body = from.rest();
    switch (kind) {
        case RecordKind::answer: {
            if (!sink.answer) return;
            auto answers = decode(body);
            check_metrics(answers, metrics);
            for (auto& answer : answers) sink.answer(std::move(answer));
            return;
        }
        case RecordKind::started:
            if (sink.started) sink.started(take_started(from));
            return;
        case RecordKind::block:
            if (sink.block) sink.block(checked(decode_block(body), metrics));
            return;
        case RecordKind::part:
            if (sink.part) sink.part(checked(decode_part(body), metrics));
            return;
    }
    throw CodecError(fmt::format("a record is of an unknown kind ({})", static_cast<int>(kind)));
}

}  // namespace pimdse::dse::journal_format
