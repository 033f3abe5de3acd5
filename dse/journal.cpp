#include "dse/journal.hpp"

#include "dse/durable_file.hpp"
#include "dse/group_commit.hpp"
#include "dse/journal_format.hpp"
#include "dse/journal_salvage.hpp"
#include "dse/wire.hpp"
#include "sim/check.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace pimdse::dse {
namespace {

using journal_format::RecordKind;

void check_same_space(std::filesystem::path const& path, JournalHeader const& found, JournalHeader const& wanted) {
    if (found.canonical_text != wanted.canonical_text) {
        std::string const difference = found.architecture != wanted.architecture
                                           ? fmt::format("it is for {}, this one is for {}", found.architecture, wanted.architecture)
                                           : "its parameters, constraints or inputs differ";
        throw sim::InputError(
            fmt::format("{} belongs to another space ({}). Choose another output, or start anew with --force?", path.string(), difference));
    }
    if (found.metrics != wanted.metrics) {
        throw sim::InputError(
            fmt::format("{} was written by another version of this program (its metrics differ). Start anew with --force?", path.string()));
    }
}

std::string damage_sentence(std::filesystem::path const& path, JournalReport const& report) {
    return fmt::format(
        "{} is damaged: {} bytes of it are unreadable, {} records are whole (nothing was changed). Keep those and set the damaged file "
        "aside?",
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
    State(DurableFile opened, std::uint64_t size, std::uint64_t records, JournalSettings const& settings)
        : file(std::move(opened)),
          end(size),
          appended(records),
          commits(file, records, settings.commit_records, settings.commit_interval) {}

    void write(std::uint64_t last);

    DurableFile file;
    std::uint64_t end;  ///< behind the last whole record
    std::uint64_t appended;
    bool closed = false;  ///< a write failed, or the file is deleted
    JournalReport report;
    Bytes buffer;  ///< the records of one append
    GroupCommit commits;
};

void Journal::State::write(std::uint64_t last) {
    if (closed) throw StorageError(file.path(), fmt::format("{} is closed; nothing more is written to it", file.path().string()));
    commits.check();
    try {
        file.write(buffer);
    } catch (StorageError const&) {
        closed = true;
        // Half a batch would be a torn tail; leave the file as if it had not been tried. If that fails, too, the next
        // reader drops the tail.
        static_cast<void>(::truncate(file.path().c_str(), static_cast<off_t>(end)) == 0);
        throw;
    }
    appended = last;
    end += buffer.size();
    commits.written(last);
}

Journal::Journal(std::unique_ptr<State> state) : state_(std::move(state)) {}
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;

Journal::~Journal() = default;

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

std::uint64_t Journal::append_records(std::size_t count, journal_format::RecordKind kind,
                                      std::function<void(std::size_t, Bytes&)> const& put) {
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
    auto file = open_locked(path, mode, settings.lock_wait);
    std::uint64_t const end = write_head(file, header);
    return Journal(std::make_unique<State>(std::move(file), end, 0, settings));
}

Journal Journal::resume(std::filesystem::path const& path, JournalHeader const& header, JournalSink const& sink, OnDamage on_damage,
                        JournalSettings settings) {
    auto file = open_locked(path, DurableFile::Mode::append_or_create, settings.lock_wait);
    auto const head = journal_format::read_head(file);
    if (!head) {
        std::uint64_t const end = write_head(file, header);
        return Journal(std::make_unique<State>(std::move(file), end, 0, settings));
    }
    check_same_space(path, head->header, header);
    journal_format::Scanner scanner(file, {head->end, 0});
    scanner.run([&](std::uint64_t, std::span<std::byte const> payload) { deliver(path, payload, sink); });
    auto report = scanner.report();
    auto [end, records] = scanner.cursor();
    if (report.damaged()) {
        if (on_damage == OnDamage::refuse) throw StorageError(path, damage_sentence(path, report));
        auto copy = salvage(file, head->header);
        report.notes.push_back(fmt::format("{} was set aside as {}", path.string(), copy.set_aside.string()));
        auto state = std::make_unique<State>(std::move(copy.file), copy.end, copy.records, settings);
        state->report = std::move(report);
        return Journal(std::move(state));
    }
    if (report.torn_bytes != 0) {
        file.truncate(end);
        file.sync();
    }
    auto state = std::make_unique<State>(std::move(file), end, records, settings);
    state->report = std::move(report);
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

std::uint64_t Journal::append(Started const& started) {
    return append_records(1, RecordKind::started, [&](std::size_t, Bytes& into) { journal_format::put_started(into, started); });
}

std::uint64_t Journal::append(BlockSummary const& summary) {
    return append_records(1, RecordKind::block, [&](std::size_t, Bytes& into) { encode(summary, into); });
}

std::uint64_t Journal::append(BlockPart const& part) {
    return append_records(1, RecordKind::part, [&](std::size_t, Bytes& into) { encode(part, into); });
}

void Journal::tick() { state_->commits.check(); }
void Journal::commit() { state_->commits.wait(); }
std::uint64_t Journal::appended() const { return state_->appended; }
std::uint64_t Journal::durable() const { return state_->commits.durable(); }
JournalReport const& Journal::report() const { return state_->report; }
std::filesystem::path const& Journal::path() const { return state_->file.path(); }

void Journal::remove() {
    if (::unlink(path().c_str()) != 0) throw StorageError::from_errno(path(), "delete", errno);
    state_->closed = true;
    sync_directory_of(path());
}

}  // namespace pimdse::dse
