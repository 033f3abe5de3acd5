#include "dse/store/journal/journal.hpp"

#include "dse/store/journal/format.hpp"
#include "dse/store/journal/group_commit.hpp"
#include "dse/store/journal/head.hpp"
#include "dse/store/journal/opening.hpp"
#include "dse/store/journal/salvage.hpp"
#include "dse/store/journal/scanner.hpp"
#include "dse/task/wire.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace pimdse::dse::store::journal {
namespace {

using format::RecordKind;

std::string damage_sentence(std::filesystem::path const& path, JournalReport const& report) {
    return fmt::format(
        "{} is damaged: {} bytes of it are unreadable, {} records are whole (nothing was changed). Keep those and set "
        "the damaged file "
        "aside?",
        path.string(), report.damaged_bytes, report.records);
}

}  // namespace

std::filesystem::path journal_path(std::filesystem::path const& result_file) {
    auto path = destination_of(result_file);
    path += ".journal";
    return path;
}

struct Journal::State {
    State(DurableFile opened, std::uint64_t size, std::uint64_t records, JournalSettings const& settings)
        : file(std::move(opened)),
          end(size),
          appended(records),
          commits(file, records, settings.commit_records, settings.commit_interval) {}

    /// Writes so many records; `put` appends what follows the kind. Returns the number of the last one.
    std::uint64_t append(std::size_t count, format::RecordKind kind,
                         std::function<void(std::size_t, task::Bytes&)> const& put);
    void write(std::uint64_t last);

    DurableFile file;
    std::uint64_t end;  ///< behind the last whole record
    std::uint64_t appended;
    bool closed = false;  ///< a write failed, or the file is deleted
    JournalReport report;
    task::Bytes buffer;  ///< the records of one append
    GroupCommit commits;
};

void Journal::State::write(std::uint64_t last) {
    if (closed)
        throw StorageError(file.path(),
                           fmt::format("{} is closed; nothing more is written to it", file.path().string()));
    commits.check();
    try {
        file.write(buffer);
    } catch (StorageError const&) {
        closed = true;
        // Half a batch would be a torn tail; leave the file as if it had not been tried. If that fails, too, the next
        // reader drops the tail.
        try {
            file.truncate(end);
        } catch (StorageError const&) {
        }
        throw;
    }
    appended = last;
    end += buffer.size();
    commits.written(last);
}

std::uint64_t Journal::State::append(std::size_t count, format::RecordKind kind,
                                     std::function<void(std::size_t, task::Bytes&)> const& put) {
    buffer.clear();
    std::uint64_t last = appended;
    for (std::size_t i = 0; i < count; ++i) {
        format::put_record(buffer, ++last, kind, [&](task::Bytes& into) { put(i, into); });
    }
    if (count != 0) write(last);
    return last;
}

Journal::Journal(std::unique_ptr<State> state) : state_(std::move(state)) {}
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;

Journal::~Journal() = default;

namespace {

void deliver(std::filesystem::path const& path, std::span<std::byte const> payload, std::uint64_t metrics,
             JournalSink const& sink) {
    try {
        format::deliver(payload, metrics, sink);
    } catch (task::CodecError const& error) {
        throw StorageError(path, fmt::format("{} cannot be read ({}). Was it written by a newer version?",
                                             path.string(), error.what()));
    }
}

/// Reads the head of a journal that nobody needs to hold; nullopt if it is not complete.
std::optional<format::Head> look_at_head(DurableFile const& file) {
    auto head = format::read_head(file);
    if (head.state == format::HeadState::damaged) throw StorageError(file.path(), head.problem);
    return head.state == format::HeadState::whole ? std::optional(std::move(head)) : std::nullopt;
}

}  // namespace

std::unique_ptr<Journal::State> Journal::begun(DurableFile file, JournalSettings const& settings) {
    std::uint64_t const end = file.size();
    return std::make_unique<State>(std::move(file), end, 0, settings);
}

Journal Journal::create(std::filesystem::path const& path, JournalHeader const& header, Existing existing,
                        JournalSettings settings) {
    using opening::Over;
    while (true) {
        auto const held = existing == Existing::replace ? lock_existing(path, settings.lock_wait) : std::nullopt;
        auto fresh = opening::begin(path, header, held ? opening::Over::held : opening::Over::nothing);
        if (fresh) return Journal(begun(std::move(*fresh), settings));
        if (existing == Existing::refuse)
            throw StorageError(path, fmt::format("{} exists already (it is kept)", path.string()));
    }
}

Journal Journal::resume(std::filesystem::path const& path, JournalHeader const& header, JournalSink const& sink,
                        OnDamage on_damage, JournalSettings settings) {
    using opening::Over;
    while (true) {
        auto held = lock_existing(path, settings.lock_wait);
        bool const empty = !held || format::read_head(*held).state == format::HeadState::unfinished;
        if (!empty) return Journal(go_on(std::move(*held), header, sink, on_damage, settings));
        auto fresh = opening::begin(path, header, held ? opening::Over::held : opening::Over::nothing);
        if (fresh) return Journal(begun(std::move(*fresh), settings));
    }
}

std::unique_ptr<Journal::State> Journal::go_on(DurableFile file, JournalHeader const& header, JournalSink const& sink,
                                               OnDamage on_damage, JournalSettings const& settings) {
    auto const path = file.path();
    auto const opened = opening::open_head(file, format::read_head(file), header, on_damage);
    format::Scanner scanner(file, {opened.end});
    scanner.run([&](std::uint64_t, std::span<std::byte const> payload) {
        deliver(path, payload, opened.header.metrics.size(), sink);
    });
    auto report = scanner.report();
    report.notes.insert(report.notes.begin(), opened.notes.begin(), opened.notes.end());
    std::uint64_t end = scanner.cursor().offset;
    std::uint64_t records = scanner.cursor().sequence;
    if (opened.damaged() || report.damaged()) {
        if (on_damage == OnDamage::refuse) throw StorageError(path, damage_sentence(path, report));
        if (opened.damaged() && report.records == 0)
            throw StorageError(path, fmt::format("{}; no record in it can be read. Remove it?", report.notes.front()));
        auto copy = salvage(file, opened.end, opened.header);
        report.notes.push_back(fmt::format("{} was set aside as {}", path.string(), copy.set_aside.string()));
        auto state = std::make_unique<State>(std::move(copy.file), copy.end, copy.records, settings);
        state->report = std::move(report);
        return state;
    }
    if (report.torn_bytes != 0) {
        file.truncate(end);
        file.sync();
    }
    auto state = std::make_unique<State>(std::move(file), end, records, settings);
    state->report = std::move(report);
    return state;
}

JournalReport Journal::read(std::filesystem::path const& path, JournalSink const& sink, JournalCursor* from) {
    DurableFile const file(path, DurableFile::Mode::read);
    JournalCursor cursor = from != nullptr ? *from : JournalCursor{};
    if (cursor.offset == 0) {
        auto const head = look_at_head(file);
        if (!head) return {};
        cursor = {head->end, 0, head->header->metrics.size(), file.identity()};
    } else if (cursor.file != file.identity() || cursor.offset > file.size()) {
        throw StorageError(
            path, fmt::format("{} is not the journal it was (another run has begun under this name, or it was cut)",
                              path.string()));
    }
    format::Scanner scanner(file, cursor);
    scanner.run(
        [&](std::uint64_t, std::span<std::byte const> payload) { deliver(path, payload, cursor.metrics, sink); });
    if (from != nullptr) *from = scanner.cursor();
    return scanner.report();
}

JournalHeader Journal::read_header(std::filesystem::path const& path) {
    auto head = look_at_head(DurableFile(path, DurableFile::Mode::read));
    if (!head) throw StorageError(path, fmt::format("{} holds nothing yet (its head is not complete)", path.string()));
    return *std::move(head->header);
}

std::uint64_t Journal::append(std::span<task::Answer const> answers) {
    return state_->append(answers.size(), format::RecordKind::answer,
                          [&](std::size_t i, task::Bytes& into) { encode(answers[i], into); });
}

std::uint64_t Journal::append(Started const& started) {
    return state_->append(1, format::RecordKind::started,
                          [&](std::size_t, task::Bytes& into) { format::put_started(into, started); });
}

std::uint64_t Journal::append(task::BlockSummary const& summary) {
    return state_->append(1, format::RecordKind::block, [&](std::size_t, task::Bytes& into) { encode(summary, into); });
}

std::uint64_t Journal::append(task::BlockPart const& part) {
    return state_->append(1, format::RecordKind::part, [&](std::size_t, task::Bytes& into) { encode(part, into); });
}

std::uint64_t Journal::append(task::Standing const& standing) {
    return state_->append(1, format::RecordKind::standing,
                          [&](std::size_t, task::Bytes& into) { format::put_standing(into, standing); });
}

void Journal::tick() { state_->commits.check(); }
void Journal::commit() { state_->commits.wait(); }
std::uint64_t Journal::appended() const { return state_->appended; }
std::uint64_t Journal::durable() const { return state_->commits.durable(); }
JournalReport const& Journal::report() const { return state_->report; }
std::filesystem::path const& Journal::path() const { return state_->file.path(); }

void Journal::check_still_ours() const {
    auto const found = identity_of(path());
    if (!found || *found == state_->file.identity()) return;
    throw StorageError(
        path(),
        fmt::format("{} is another run's by now (this run's was removed meanwhile); nothing of that run was touched",
                    path().string()));
}

void Journal::remove() {
    state_->closed = true;
    if (!state_->file.still_there()) return;
    if (::unlink(path().c_str()) != 0) throw StorageError::from_errno(path(), "delete", errno);
    sync_directory_of(path());
}

}  // namespace pimdse::dse::store::journal
