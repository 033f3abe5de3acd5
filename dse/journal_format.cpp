#include "dse/journal_format.hpp"

#include "dse/checksum.hpp"
#include "dse/digest.hpp"
#include "dse/wire.hpp"
#include "sim/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace pimdse::dse::journal_format {
namespace {

constexpr std::string_view magic = "PIMDSEJ\n";
constexpr std::size_t window_size = std::size_t{4} << 20;

std::string json_of(JournalHeader const& header) {
    nlohmann::ordered_json json;
    json["architecture"] = header.architecture;
    json["metrics"] = header.metrics;
    json["space_digest"] = sha256(header.canonical_text);
    json["space"] = header.canonical_text;
    json["space_text"] = header.space_text;
    json["run"] = nlohmann::ordered_json::parse(header.run.empty() ? "{}" : header.run);
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

JournalHeader header_of(std::string_view text) {
    auto const json = nlohmann::ordered_json::parse(text);
    JournalHeader header;
    header.architecture = json.at("architecture");
    header.metrics = json.at("metrics").get<std::vector<std::string>>();
    header.canonical_text = json.at("space");
    header.space_text = json.at("space_text");
    header.run = json.at("run").dump();
    return header;
}

std::uint32_t u32_at(std::span<std::byte const> bytes, std::size_t offset) { return wire::number_at<std::uint32_t>(bytes.data() + offset); }

}  // namespace

Bytes header_bytes(JournalHeader const& header) {
    std::string const json = json_of(header);
    auto const text = std::as_bytes(std::span(json));
    Bytes bytes;
    for (char const c : magic) bytes.push_back(static_cast<std::byte>(c));
    wire::put(bytes, version);
    wire::put(bytes, static_cast<std::uint32_t>(text.size()));
    wire::put(bytes, crc32(text));
    bytes.insert(bytes.end(), text.begin(), text.end());
    return bytes;
}

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

/// `from` is behind the kind.
Started take_started(wire::Reader& from) {
    auto const fidelity = from.take<std::uint8_t>();
    auto const is_list = from.take<std::uint8_t>();
    auto const count = from.take<std::uint64_t>();
    if (!count || *fidelity >= models::fidelity_names.size()) throw CodecError("a mark of started points is cut off");
    Started started{static_cast<models::Fidelity>(*fidelity), {}, *count, {}};
    for (std::uint64_t i = 0; i < (*is_list != 0 ? *count : 1); ++i) {
        auto const point = from.take<std::uint64_t>();
        if (!point) throw CodecError("a mark of started points is cut off");
        if (*is_list == 0) started.first = PointId{*point};
        else started.points.push_back(PointId{*point});
    }
    if (*is_list != 0) started.count = 0;
    return started;
}

}  // namespace

void deliver(std::span<std::byte const> payload, JournalSink const& sink) {
    wire::Reader from(payload);
    auto const kind = static_cast<RecordKind>(from.take<std::uint8_t>().value_or(0));
    auto const body = payload.subspan(std::min<std::size_t>(1, payload.size()));
    switch (kind) {
        case RecordKind::answer:
            if (!sink.answer) return;
            for (auto& answer : decode(body)) sink.answer(std::move(answer));
            return;
        case RecordKind::started:
            if (sink.started) sink.started(take_started(from));
            return;
        case RecordKind::block:
            if (sink.block) sink.block(decode_block(body));
            return;
        case RecordKind::part:
            if (sink.part) sink.part(decode_part(body));
            return;
    }
    throw CodecError(fmt::format("a record is of an unknown kind ({})", static_cast<int>(kind)));
}

std::optional<Head> read_head(DurableFile const& file) {
    std::string const name = file.path().string();
    std::uint64_t const size = file.size();
    std::array<std::byte, head_size> fixed{};
    std::size_t const got = file.read_at(0, fixed);
    std::string_view const start(reinterpret_cast<char const*>(fixed.data()), std::min(got, magic.size()));
    if (start != magic.substr(0, start.size()))
        throw sim::InputError(fmt::format("{} is no journal of pimdse (it does not begin like one)", name));
    if (got < head_size) return std::nullopt;
    if (u32_at(fixed, 8) != version) {
        throw sim::InputError(
            fmt::format("{} is a journal of version {} (this program reads version {})", name, u32_at(fixed, 8), version));
    }
    std::uint64_t const end = head_size + u32_at(fixed, 12);
    if (end > size) return std::nullopt;
    Bytes text(u32_at(fixed, 12));
    if (file.read_at(head_size, text) != text.size() || crc32(text) != u32_at(fixed, 16)) {
        if (end == size) return std::nullopt;
        throw StorageError(file.path(), fmt::format("{} is damaged (its head does not match its checksum)", name));
    }
    return Head{header_of({reinterpret_cast<char const*>(text.data()), text.size()}), end};
}

std::span<std::byte const> Scanner::view(std::uint64_t offset, std::size_t length) {
    if (offset >= size_) return {};
    length = static_cast<std::size_t>(std::min<std::uint64_t>(length, size_ - offset));
    if (offset < window_start_ || offset + length > window_start_ + window_.size()) {
        window_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(std::max(window_size, length), size_ - offset)));
        window_.resize(file_.read_at(offset, window_));
        window_start_ = offset;
        length = std::min(length, window_.size());
    }
    return std::span<std::byte const>(window_).subspan(static_cast<std::size_t>(offset - window_start_), length);
}

std::optional<Scanner::Found> Scanner::whole_record(std::uint64_t offset, std::uint64_t highest_sequence) {
    auto const head = view(offset, record_head);
    if (head.size() < record_head) return std::nullopt;
    std::uint32_t const length = u32_at(head, 0);
    std::uint32_t const stated = u32_at(head, 4);
    auto const sequence = wire::number_at<std::uint64_t>(head.data() + 8);
    if (length == 0 || length > longest_payload || offset + record_head + length > size_) return std::nullopt;
    if (sequence <= cursor_.sequence || sequence > highest_sequence) return std::nullopt;
    auto const checked = view(offset + 8, 8 + length);
    if (checked.size() < 8 + length || crc32(checked) != stated) return std::nullopt;
    return Found{offset, sequence, checked.subspan(8)};
}

/// The next whole record behind damage. Its number cannot be further ahead than there is room for records in between.
std::optional<Scanner::Found> Scanner::search(std::uint64_t offset) {
    for (; offset + record_head < size_; ++offset) {
        std::uint64_t const most = cursor_.sequence + 1 + (offset - cursor_.offset) / (record_head + 1);
        if (auto found = whole_record(offset, most)) return found;
    }
    return std::nullopt;
}

void Scanner::run(std::function<void(std::uint64_t, std::span<std::byte const>)> const& take) {
    while (cursor_.offset < size_) {
        auto found = whole_record(cursor_.offset, cursor_.sequence + 1);
        if (!found) found = search(cursor_.offset);
        if (!found) break;
        if (found->offset != cursor_.offset) note_gap(found->offset, found->sequence);
        ++report_.records;
        cursor_ = {found->offset + record_head + found->payload.size(), found->sequence};
        take(found->sequence, found->payload);
    }
    if (cursor_.offset < size_) note_tail();
}

void Scanner::note_gap(std::uint64_t next_offset, std::uint64_t next_sequence) {
    std::uint64_t const bytes = next_offset - cursor_.offset;
    report_.damaged_bytes += bytes;
    report_.notes.push_back(fmt::format("{}: {} bytes at {} are damaged, {} records are lost there", file_.path().string(), bytes,
                                        cursor_.offset, next_sequence - cursor_.sequence - 1));
}

void Scanner::note_tail() {
    report_.torn_bytes = size_ - cursor_.offset;
    report_.notes.push_back(fmt::format("{}: the last {} bytes are an append that never finished; they were never acknowledged",
                                        file_.path().string(), report_.torn_bytes));
}

}  // namespace pimdse::dse::journal_format
