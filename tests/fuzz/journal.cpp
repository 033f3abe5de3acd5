#include "dse/store/journal.hpp"
#include "dse/run/isolation.hpp"
#include "dse/search/result_store.hpp"
#include "dse/store/journal_format.hpp"
#include "file.hpp"
#include "input.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/wire.hpp"

#include <span>
#include <string>

namespace {

using namespace pimdse;

constexpr std::size_t metrics = 3;

dse::store::journal::JournalHeader header() {
    dse::store::journal::JournalHeader header;
    header.architecture = "fuzzed";
    for (std::size_t i = 0; i < metrics; ++i) header.metrics.push_back("metric " + std::to_string(i));
    return header;
}

void append(dse::space::Bytes& into, std::string_view text) {
    auto const bytes = std::as_bytes(std::span(text));
    into.insert(into.end(), bytes.begin(), bytes.end());
}

/// A whole head with one record whose checksum is right; `text` is its kind and what follows.
dse::space::Bytes with_record(std::string_view text) {
    auto bytes = dse::store::journal::format::header_bytes(header());
    auto const kind = static_cast<dse::store::journal::format::RecordKind>(text.empty() ? 0 : text[0]);
    dse::store::journal::format::put_record(
        bytes, 1, kind, [&](dse::space::Bytes& into) { append(into, text.substr(text.empty() ? 0 : 1)); });
    return bytes;
}

/// A head with this text, of the right length and with the right checksum.
dse::space::Bytes with_head(std::string_view text) {
    dse::space::Bytes bytes;
    append(bytes, "PIMDSEJ\n");
    sim::wire::put(bytes, dse::store::journal::format::version);
    sim::wire::put(bytes, static_cast<std::uint32_t>(text.size()));
    sim::wire::put(bytes, sim::crc32(std::as_bytes(std::span(text))));
    append(bytes, text);
    return bytes;
}

dse::space::Bytes journal_of(std::string_view input) {
    if (input.empty()) return {};
    if (input[0] == 'r') return with_record(input.substr(1));
    if (input[0] == 'h') return with_head(input.substr(1));
    dse::space::Bytes bytes;
    append(bytes, input.substr(1));
    return bytes;
}

/// What a resumed run does with the records.
void read_into_a_store(std::filesystem::path const& path) {
    dse::search::ResultStore store(dse::store::journal::Journal::read_header(path).metrics.size());
    dse::run::Quarantine quarantine;
    dse::store::journal::JournalSink sink;
    sink.result = [&](dse::space::Result&& result) { store.insert(result); };
    sink.block = [&](dse::space::BlockSummary&& block) { store.insert(block); };
    sink.part = [&](dse::space::BlockPart&& part) { store.add(std::move(part)); };
    sink.started = [&](dse::store::journal::Started&& mark) { quarantine.started(mark); };
    (void)dse::store::journal::Journal::read(path, sink);
    quarantine.settle(store);
}

}  // namespace

/// Journals: as they are (any first byte), a record with a right checksum ('r'), or the text of a head ('h').
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    return fuzz::attempt([&] {
        auto const bytes = journal_of(fuzz::text_of(data, size));
        try {
            read_into_a_store(fuzz::file_with({reinterpret_cast<char const*>(bytes.data()), bytes.size()}));
        } catch (sim::StorageError const&) {
            return;  // refused in a sentence
        }
    });
}
