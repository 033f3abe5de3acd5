#include "dse/store/journal_format.hpp"

#include "sim/base/check.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/wire.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <utility>

namespace pimdse::dse::store::journal::format {

void put_record(space::Bytes& into, std::uint64_t sequence, RecordKind kind,
                std::function<void(space::Bytes&)> const& put_payload) {
    std::size_t const start = into.size();
    sim::wire::put(into, std::uint64_t{0}, sequence, kind);  // length and checksum are known below
    put_payload(into);
    std::size_t const length = into.size() - start - record_head;
    sim::expects(length <= longest_payload, "a journal record is not larger than 256 MiB");
    sim::wire::set(into.data() + start, static_cast<std::uint32_t>(length));
    sim::wire::set(into.data() + start + 4, sim::crc32(std::span(into).subspan(start + 8)));
}

void put_started(space::Bytes& into, Started const& started) {
    bool const is_list = !started.points.empty();
    sim::wire::put(into, started.fidelity, static_cast<std::uint8_t>(is_list), started.size());
    if (!is_list) sim::wire::put(into, started.first);
    for (auto const point : started.points) sim::wire::put(into, point);
}

void put_standing(space::Bytes& into, search::Standing const& standing) {
    sim::wire::put(into, standing.pruned, standing.in_flight, standing.open, standing.gap,
                   static_cast<std::uint8_t>(standing.gap_is_rough));
}

namespace {

search::Standing take_standing(sim::wire::Reader& from) {
    auto const pruned = from.take<std::uint64_t>(), in_flight = from.take<std::uint64_t>();
    auto const open = from.take<std::uint64_t>();
    auto const gap = from.take_double();
    auto const rough = from.take<std::uint8_t>();
    if (!rough || *rough > 1 || !from.empty())
        throw space::CodecError("a record of a search status has the wrong length or an invalid flag");
    return {*pruned, *in_flight, *open, *gap, *rough != 0};
}

/// Reads a payload from the byte after its kind on. A run of ids has one number, however long it is; a list has one
/// number per point.
Started take_started(sim::wire::Reader& from) {
    auto const fidelity = from.take<std::uint8_t>();
    auto const is_list = from.take<std::uint8_t>();
    auto const count = from.take<std::uint64_t>();
    if (!count) throw space::CodecError("a record of started points is cut off");
    if (*fidelity >= models::fidelity_names.size() || *is_list > 1)
        throw space::CodecError("a record of started points has an unknown fidelity or kind");
    bool const list = *is_list != 0;
    std::size_t const numbers = from.rest().size() / sizeof(std::uint64_t);
    if (from.rest().size() % sizeof(std::uint64_t) != 0 || (list ? *count : 1) != numbers)
        throw space::CodecError("a record of started points does not have the length that it states");
    Started started{static_cast<models::Fidelity>(*fidelity), {}, list ? 0 : *count, {}};
    if (!list)
        started.first = space::PointId{*from.take<std::uint64_t>()};
    else
        started.points.reserve(numbers);
    while (!from.empty()) started.points.push_back(space::PointId{*from.take<std::uint64_t>()});
    if (started.count > std::numeric_limits<std::uint64_t>::max() - index_of(started.first))
        throw space::CodecError("a record of started points ends beyond the largest id");
    return started;
}

void check_metrics(std::span<space::Result const> results, std::uint64_t expected) {
    for (auto const& result : results) {
        auto const* const metrics = std::get_if<models::Metrics>(&result.outcome);
        if (metrics == nullptr || metrics->size() == expected) continue;
        throw space::CodecError(fmt::format("the result of point {} has {} metrics, but the head declares {}",
                                            index_of(result.task.point), metrics->size(), expected));
    }
}

template <class T>
T checked(T summary, std::uint64_t metrics) {
    check_metrics(summary.kept, metrics);
    return summary;
}

using sim::Json;

constexpr std::string_view magic = "PIMDSEJ\n";
constexpr std::uint32_t longest_text = 1U << 28;
constexpr std::string_view digest_key = R"("space_digest":")";
constexpr std::size_t digest_digits = 64;

std::string json_of(JournalHeader const& header) {
    return Json{{"architecture", header.architecture},
                {"metrics", header.metrics},
                {"space_digest", sim::sha256(space::identity_text(header.canonical_text, header.inputs))},
                {"space", header.canonical_text},
                {"space_text", header.space_text},
                {"inputs", header.inputs},
                {"run", Json::parse(header.run.empty() ? "{}" : header.run)}}
        .dump();
}

/// Throws the exceptions of the JSON library.
JournalHeader header_of(std::string_view text) {
    auto const json = Json::parse(text);
    JournalHeader header;
    header.architecture = json.at("architecture").get<std::string>();
    header.metrics = json.at("metrics").get<std::vector<std::string>>();
    header.canonical_text = json.at("space").get<std::string>();
    header.space_text = json.at("space_text").get<std::string>();
    header.run = json.at("run").dump();
    if (json.contains("inputs")) header.inputs = json.at("inputs").get<space::InputHashes>();
    return header;
}

std::string_view text_of(std::span<std::byte const> bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

/// The first `end` bytes of a file, at most as many as the longest head has.
space::Bytes beginning(base::DurableFile const& file, std::uint64_t end) {
    space::Bytes bytes(static_cast<std::size_t>(std::min<std::uint64_t>({file.size(), end, head_size + longest_text})));
    bytes.resize(file.read_at(0, bytes));
    return bytes;
}

/// The first bytes of every head: magic and version.
space::Bytes first_bytes() {
    space::Bytes bytes;
    for (char const c : magic) bytes.push_back(static_cast<std::byte>(c));
    sim::wire::put(bytes, version);
    return bytes;
}

/// Whether an interrupted start may have left this file: the beginning of a head, and zeros for blocks that were not
/// written yet. The text of a head has no control characters (JSON escapes them), but every record has one, since the
/// last byte of its length is at most 16.
bool is_unfinished(base::DurableFile const& file) {
    if (file.size() > head_size + longest_text) return false;
    space::Bytes bytes = beginning(file, file.size());
    while (!bytes.empty() && bytes.back() == std::byte{0}) bytes.pop_back();
    space::Bytes const first = first_bytes();
    if (!std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), first.size())),
                    first.begin()))
        return false;
    if (bytes.size() <= head_size) return true;
    return std::all_of(bytes.begin() + head_size, bytes.end(), [](std::byte b) { return b >= std::byte{0x20}; });
}

std::string wrong_start(base::DurableFile const& file, std::span<std::byte const> fixed) {
    std::string const name = file.path().string();
    if (text_of(fixed.first(magic.size())) != magic)
        return fmt::format("{} is not a journal of pimdse, or its first bytes are damaged", name);
    auto const found = sim::wire::number_at<std::uint32_t>(fixed.data() + magic.size());
    if (found != version)
        return fmt::format("{} is a journal of version {} (this program reads version {}), or damaged", name, found,
                           version);
    return {};
}

/// Reads the text of a head whose first 20 bytes are `fixed`. Returns what is wrong with it; empty if nothing is.
std::string read_text(base::DurableFile const& file, std::span<std::byte const> fixed, Head& into) {
    std::string const name = file.path().string();
    auto const length = sim::wire::number_at<std::uint32_t>(fixed.data() + 12);
    if (length > longest_text || head_size + length > file.size())
        return fmt::format("{} is damaged (its head claims to be longer than the file, or than 256 MiB)", name);
    space::Bytes text(length);
    if (file.read_at(head_size, text) != length ||
        sim::crc32(text) != sim::wire::number_at<std::uint32_t>(fixed.data() + 16))
        return fmt::format("{} is damaged (its head does not match its checksum)", name);
    try {
        into.header = header_of(text_of(text));
        into.end = head_size + length;
    } catch (sim::Json::Error const& error) {
        return fmt::format("{} is damaged (its head cannot be read: {})", name, error.what());
    }
    return {};
}

}  // namespace

void deliver(std::span<std::byte const> payload, std::uint64_t metrics, JournalSink const& sink) {
    sim::wire::Reader from(payload);
    auto const kind = static_cast<RecordKind>(from.take<std::uint8_t>().value_or(0));
    auto const body = from.rest();
    switch (kind) {
        case RecordKind::result: {
            if (!sink.result) return;
            auto results = space::decode(body);
            check_metrics(results, metrics);
            for (auto& result : results) sink.result(std::move(result));
            return;
        }
        case RecordKind::started:
            if (sink.started) sink.started(take_started(from));
            return;
        case RecordKind::block:
            if (sink.block) sink.block(checked(space::decode_block(body), metrics));
            return;
        case RecordKind::part:
            if (sink.part) sink.part(checked(space::decode_part(body), metrics));
            return;
        case RecordKind::standing:
            if (sink.standing) sink.standing(take_standing(from));
            return;
    }
    throw space::CodecError(fmt::format("a record has an unknown kind ({})", static_cast<int>(kind)));
}

space::Bytes header_bytes(JournalHeader const& header) {
    std::string const json = json_of(header);
    if (json.size() > longest_text)
        throw sim::StorageError(
            {}, "cannot start a journal (the text of its space has {} bytes; at most 256 MiB are allowed)",
            json.size());
    auto const text = std::as_bytes(std::span(json));
    space::Bytes bytes = first_bytes();
    sim::wire::put(bytes, static_cast<std::uint32_t>(text.size()), sim::crc32(text));
    bytes.insert(bytes.end(), text.begin(), text.end());
    return bytes;
}

Head read_head(base::DurableFile const& file) {
    space::Bytes const fixed = beginning(file, head_size);
    Head head{HeadState::damaged, {}, head_size, {}};
    if (fixed.size() == head_size) {
        std::string const wrong = wrong_start(file, fixed);
        head.problem = read_text(file, fixed, head);
        if (!wrong.empty()) head.problem = wrong;
    } else {
        head.problem = fmt::format("{} is not a journal of pimdse (it does not begin like one)", file.path().string());
    }
    if (head.problem.empty())
        head.state = HeadState::whole;
    else if (is_unfinished(file))
        head = Head{};
    return head;
}

Named space_named_by(base::DurableFile const& file, std::uint64_t end, JournalHeader const& wanted) {
    space::Bytes const bytes = beginning(file, end);
    auto const text = text_of(bytes);
    auto const holds = [text](std::string const& part) { return text.find(part) != std::string_view::npos; };
    if (holds(
            fmt::format("{}{}\"", digest_key, sim::sha256(space::identity_text(wanted.canonical_text, wanted.inputs)))))
        return Named::this_one;
    if (holds(fmt::format("\"space\":{},", Json(wanted.canonical_text).dump()))) return Named::this_one;
    auto const key = text.find(digest_key);
    if (key == std::string_view::npos) return Named::unreadable;
    auto const digest = text.substr(key + digest_key.size(), digest_digits + 1);
    bool const whole = digest.size() == digest_digits + 1 && digest.back() == '"' &&
                       digest.find_first_not_of("0123456789abcdef") == digest_digits;
    return whole ? Named::another : Named::unreadable;
}

}  // namespace pimdse::dse::store::journal::format

namespace pimdse::dse::store::journal {

JournalHeader JournalHeader::of(space::Columns const& columns, std::string run) {
    return {columns.architecture, sim::names_of(columns.metrics),
            columns.space_text,   columns.canonical_text,
            std::move(run),       columns.input_hashes};
}

}  // namespace pimdse::dse::store::journal
