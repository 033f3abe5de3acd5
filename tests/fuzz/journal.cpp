#include "dse/store/journal/journal.hpp"
#include "dse/answers/result_store.hpp"
#include "dse/job/quarantine.hpp"
#include "dse/store/checksum.hpp"
#include "dse/store/journal/format.hpp"
#include "dse/store/journal/head.hpp"
#include "dse/task/wire.hpp"
#include "file.hpp"
#include "input.hpp"

#include <span>
#include <string>

namespace {

using namespace pimdse;

constexpr std::size_t metrics = 3;

dse::JournalHeader header() {
    dse::JournalHeader header;
    header.architecture = "fuzzed";
    for (std::size_t i = 0; i < metrics; ++i) header.metrics.push_back("metric " + std::to_string(i));
    return header;
}

void append(dse::Bytes& into, std::string_view text) {
    auto const bytes = std::as_bytes(std::span(text));
    into.insert(into.end(), bytes.begin(), bytes.end());
}

/// A whole head with one record whose checksum is right; `text` is its kind and what follows.
dse::Bytes with_record(std::string_view text) {
    auto bytes = dse::journal_format::header_bytes(header());
    auto const kind = static_cast<dse::journal_format::RecordKind>(text.empty() ? 0 : text[0]);
    dse::journal_format::put_record(bytes, 1, kind,
                                    [&](dse::Bytes& into) { append(into, text.substr(text.empty() ? 0 : 1)); });
    return bytes;
}

/// A head with this text, of the right length and with the right checksum.
dse::Bytes with_head(std::string_view text) {
    dse::Bytes bytes;
    append(bytes, "PIMDSEJ\n");
    dse::wire::put(bytes, dse::journal_format::version);
    dse::wire::put(bytes, static_cast<std::uint32_t>(text.size()));
    dse::wire::put(bytes, dse::crc32(std::as_bytes(std::span(text))));
    append(bytes, text);
    return bytes;
}

dse::Bytes journal_of(std::string_view input) {
    if (input.empty()) return {};
    if (input[0] == 'r') return with_record(input.substr(1));
    if (input[0] == 'h') return with_head(input.substr(1));
    dse::Bytes bytes;
    append(bytes, input.substr(1));
    return bytes;
}

/// What a resumed run does with the records.
void read_into_a_store(std::filesystem::path const& path) {
    dse::ResultStore store(dse::Journal::read_header(path).metrics.size());
    dse::Quarantine quarantine;
    dse::JournalSink sink;
    sink.answer = [&](dse::Answer&& answer) { store.insert(answer); };
    sink.block = [&](dse::BlockSummary&& block) { store.insert(block); };
    sink.part = [&](dse::BlockPart&& part) { store.add(std::move(part)); };
    sink.started = [&](dse::Started&& mark) { quarantine.started(mark); };
    (void)dse::Journal::read(path, sink);
    quarantine.settle(store);
}

}  // namespace

/// Journals: as they are (any first byte), a record with a right checksum ('r'), or the text of a head ('h').
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    return fuzz::attempt([&] {
        auto const bytes = journal_of(fuzz::text_of(data, size));
        try {
            read_into_a_store(fuzz::file_with({reinterpret_cast<char const*>(bytes.data()), bytes.size()}));
        } catch (dse::StorageError const&) {
            return;  // refused in a sentence
        }
    });
}
