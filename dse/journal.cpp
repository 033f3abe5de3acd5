#include "dse/journal.hpp"

#include "dse/durable_file.hpp"
#include "dse/journal_format.hpp"
#include "dse/journal_salvage.hpp"
#include "dse/wire.hpp"
#include "sim/check.hpp"

#include <fmt/format.h>
#include <optional>
#include <unistd.h>

namespace pimdse::dse {
namespace {

using journal_format::RecordKind;
using Clock = std::chrono::steady_clock;

void check_same_space(std::filesystem::path const& path, JournalHeader const& found, JournalHeader const& wanted) {
    if (found.canonical_text != wanted.canonical_text) {
        std::string const difference = found.architecture != wanted.architecture
                                           ? fmt::format("it is for {}, this one is for {}", found.architecture, wanted.architecture)
                                           : "its parameters, constraints or inputs differ";
        throw sim::InputError(fmt::format("{} belongs to another space ({}). Choose another output, or start anew with --force?", path.string(), difference));
    }
    if (found.metrics != wanted.metrics) {
        throw sim::InputError(fmt::format("{} was written by another version of this program (its metrics differ). Start anew with --force?", path.string()));
    }
}

std::string damage_sentence(std::filesystem::path const& path, JournalReport const& report) {
    return fmt::format("{} is damaged: {} bytes of it are unreadable, {} records are whole (nothing was changed). Keep those and set the damaged file aside?",
                       path.string(), report.damaged_bytes, report.records);
}

}  // namespace

std::filesystem::path journal_path(std::filesystem::path const& result_file) {
    auto path = result_file;
    path += ".journal";
    return path;
}

JournalHeader JournalHeader::of(Columns const& columns, std::string run) {
    JournalHeader header{columns.architecture, {}, columns.space_text, columns.canonical_text, std::move(run)};
    for (auto const& metric : columns.metrics) header.metrics.push_back(metric.name);
    return header;
}

struct Journal::State {
    State(DurableFile opened, JournalSettings chosen) : file(std::move(opened)), settings(chosen) {}

    void write(std::uint64_t last);
    void commit_if_due(Clock::time_point now);
    void commit();

    DurableFile file;
    JournalSettings settings;
    std::uint64_t end = 0;  ///< behind the last whole record
    std::uint64_t appended = 0, durable = 0;
    Clock::time_point oldest{};  ///< when the first record that is not durable was written
    bool failed = false;
    JournalReport report;
    Bytes buffer;  ///< the records of one append
};

void Journal::State::write(std::uint64_t last) {
    if (failed) throw StorageError(file.path(), fmt::format("{} failed before; nothing more is written to it", file.path().string()));
    auto const now = Clock::now();
    try {
        file.write(buffer);
    } catch (StorageError const&) {
        failed = true;
        // Half a batch would be a torn tail; leave the file as if it had not been tried. If that fails, too, the next
        // reader drops the tail.
        static_cast<void>(::truncate(file.path().c_str(), static_cast<off_t>(end)) == 0);
        throw;
    }
    if (appended == durable) oldest = now;
    appended = last;
    end += buffer.size();
    commit_if_due(now);
}

void Journal::State::commit_if_due(Clock::time_point now) {
    if (appended == durable) return;
    if (appended - durable >= settings.commit_records || now - oldest >= settings.commit_interval) commit();
}

void Journal::State::commit() {
    if (appended == durable || failed) return;
    try {
        file.sync();
    } catch (StorageError const&) {
        failed = true;  // what a failed sync leaves in the page cache may be lost without another error
        throw;
    }
    durable = appended;
}

Journal::Journal(std::unique_ptr<State> state) : state_(std::move(state)) {}
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;

Journal::~Journal() {
    if (!state_) return;
    try {
        state_->commit();
    } catch (StorageError const&) {
        // Nothing was acknowledged for these records.
    }
}

namespace {

/// The file under this name, locked; a name that leads elsewhere by the time the lock is ours is opened again.
DurableFile open_locked(std::filesystem::path const& path, DurableFile::Mode mode, std::chrono::milliseconds patience) {
    while (true) {
        DurableFile file(path, mode);
        file.lock(patience);
        if (file.still_there()) return file;
    }
}

void deliver(std::filesystem::path const& path, std::span<std::byte const> payload, JournalSink const& sink) {
    try {
        journal_format::deliver(payload, sink);
    } catch (CodecError const& error) {
        throw StorageError(path, fmt::format("{} cannot be read ({}). Was it written by a newer version?", path.string(), error.what()));
    }
}

std::uint64_t write_head(DurableFile const& file, JournalHeader const& header) {
    Bytes const bytes = journal_format::header_bytes(header);
    file.truncate(0);
    file.write(bytes);
    file.sync();
    sync_directory_of(file.path());
    return bytes.size();
}

}  // namespace

std::unique_ptr<Journal::State> Journal::salvaged(State damaged, JournalHeader const& header) {
    auto copy = salvage(damaged.file, header);
    auto state = std::make_unique<State>(std::move(copy.file), damaged.settings);
    state->end = copy.end;
    state->appended = state->durable = copy.records;
    state->report = std::move(damaged.report);
    state->report.notes.push_back(fmt::format("{} was set aside as {}", damaged.file.path().string(), copy.set_aside.string()));
    return state;
}

std::uint64_t Journal::append_records(std::size_t count, journal_format::RecordKind kind, std::function<void(std::size_t, Bytes&)> const& put) {
    Bytes& buffer = state_->buffer;
    buffer.clear();
    std::uint64_t last = state_->appended;
    for (std::size_t i = 0; i < count; ++i) {
        journal_format::put_record(buffer, ++last, kind, [&](Bytes& into) { put(i, into); });
    }
    if (count != 0) state_->write(last);
    return last;
}

Journal Journal::create(std::filesystem::path const& path, JournalHeader const& header, Existing existing, JournalSettings settings) {
    auto const mode = existing == Existing::refuse ? DurableFile::Mode::create_new : DurableFile::Mode::append_or_create;
    auto state = std::make_unique<State>(open_locked(path, mode, settings.lock_wait), settings);
    state->end = write_head(state->file, header);
    return Journal(std::move(state));
}

Journal Journal::resume(std::filesystem::path const& path, JournalHeader const& header, JournalSink const& sink, OnDamage on_damage,
                        JournalSettings settings) {
    auto state = std::make_unique<State>(open_locked(path, DurableFile::Mode::append, settings.lock_wait), settings);
    auto const head = journal_format::read_head(state->file);
    if (!head) {
        state->end = write_head(state->file, header);
        state->report.notes.push_back(fmt::format("{}: the last run ended before its first answer", path.string()));
        return Journal(std::move(state));
    }
    check_same_space(path, head->header, header);
    journal_format::Scanner scanner(state->file, {head->end, 0});
    scanner.run([&](std::uint64_t, std::span<std::byte const> payload) { deliver(path, payload, sink); });
    state->report = scanner.report();
    if (state->report.damaged()) {
        if (on_damage == OnDamage::refuse) throw StorageError(path, damage_sentence(path, state->report));
        return Journal(salvaged(std::move(*state), head->header));
    }
    state->end = scanner.cursor().offset;
    state->appended = state->durable = scanner.cursor().sequence;
    if (state->report.torn_bytes != 0) {
        state->file.truncate(state->end);
        state->file.sync();
    }
    return Journal(std::move(state));
}

JournalReport Journal::read(std::filesystem::path const& path, JournalSink const& sink, Cursor* from) {
    DurableFile const file(path, DurableFile::Mode::read);
    Cursor cursor = from != nullptr ? *from : Cursor{};
    if (cursor.offset == 0) {
        auto const head = journal_format::read_head(file);
        if (!head) return {};
        cursor.offset = head->end;
    }
    journal_format::Scanner scanner(file, cursor);
    scanner.run([&](std::uint64_t, std::span<std::byte const> payload) { deliver(path, payload, sink); });
    if (from != nullptr) *from = scanner.cursor();
    return scanner.report();
}

JournalHeader Journal::read_header(std::filesystem::path const& path) {
    auto head = journal_format::read_head(DurableFile(path, DurableFile::Mode::read));
    if (!head) throw StorageError(path, fmt::format("{} holds nothing yet (its head is not complete)", path.string()));
    return std::move(head->header);
}

std::uint64_t Journal::append(std::span<Answer const> answers) {
    return append_records(answers.size(), RecordKind::answer, [&](std::size_t i, Bytes& into) { encode(answers[i], into); });
}

std::uint64_t Journal::append(std::span<Started const> started) {
    return append_records(started.size(), RecordKind::started, [&](std::size_t i, Bytes& into) {
        wire::put(into, index_of(started[i].task.point));
        wire::put(into, static_cast<std::uint8_t>(started[i].task.fidelity));
        wire::put(into, started[i].attempt);
    });
}

std::uint64_t Journal::append(BlockSummary const& summary) {
    return append_records(1, RecordKind::block, [&](std::size_t, Bytes& into) { encode(summary, into); });
}

void Journal::tick() { state_->commit_if_due(Clock::now()); }
void Journal::commit() { state_->commit(); }
std::uint64_t Journal::appended() const { return state_->appended; }
std::uint64_t Journal::durable() const { return state_->durable; }
JournalReport const& Journal::report() const { return state_->report; }
std::filesystem::path const& Journal::path() const { return state_->file.path(); }

void Journal::remove() {
    if (::unlink(path().c_str()) != 0) throw StorageError::from_errno(path(), "delete", errno);
    state_->failed = true;
    sync_directory_of(path());
}

}  // namespace pimdse::dse
