#include "dse/store/journal.hpp"

#include "dse/base/durable_file.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/store/journal_scanner.hpp"
#include "sim/base/check.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/wire.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <cerrno>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace pimdse::dse::store::journal {
namespace {

using format::RecordKind;

enum class Over : std::uint8_t { nothing, held };

/// Creates a journal without records and locks it; it gets its name when it is complete. Over::nothing returns nullopt
/// if a file has that name already; Over::held replaces that file, whose lock the caller holds. `result`: see
/// JournalSettings.
std::optional<base::DurableFile> begin(std::filesystem::path const& path, JournalHeader const& header, Over over,
                                       std::filesystem::path const& result) {
    // Every process that creates a journal holds its temporary file meanwhile, so that no other journal can appear
    // between this check and the renaming.
    base::Replacement fresh(path, base::Replacement::Guard::file, {&result, 1});
    if (over == Over::nothing && base::identity_of(path)) return std::nullopt;
    fresh.file().write(format::header_bytes(header));
    return fresh.take_name();
}

/// Throws InputError if the journal is for another space or version, MismatchError if an input file has changed.
void check_same_space(std::filesystem::path const& path, JournalHeader const& found, JournalHeader const& wanted) {
    if (!space::same_space(found.canonical_text, found.inputs, wanted.canonical_text, wanted.inputs)) {
        std::string const difference =
            found.architecture != wanted.architecture
                ? fmt::format("it is for {}, this one is for {}", found.architecture, wanted.architecture)
                : "its parameters, constraints or inputs differ";
        throw sim::InputError("{} belongs to another space ({}). Choose another output, or start again with --force?",
                              path.string(), difference);
    }
    if (found.metrics != wanted.metrics) {
        throw sim::InputError(
            "{} was written by another version of this program (its metrics differ). Start again with --force?",
            path.string());
    }
    if (auto const input = space::differing_input(found.inputs, wanted.inputs)) {
        throw sim::MismatchError(
            "{1} was different when the results of {0} were computed (those of this run would not be comparable with "
            "them). Restore it, or start again with --force?",
            path.string(), *input);
    }
}

/// How the space of the records behind a damaged head is known, as a phrase. Throws InputError if it is another space.
std::string evidence_of_space(base::DurableFile const& file, format::Head const& head, JournalHeader const& wanted) {
    if (head.header) {
        check_same_space(file.path(), *head.header, wanted);
        return "its records belong to this space";
    }
    switch (format::space_named_by(file, file.size(), wanted)) {
        case format::Named::this_one:
            return "the readable part of it names this space";
        case format::Named::another:
            throw sim::InputError(
                "{} is damaged, and the readable part of its head names another space. Choose another "
                "output, or start again with --force?",
                file.path().string());
        case format::Named::unreadable:
            break;
    }
    return "it no longer names the space of its records; they are assumed to belong to this one";
}

/// `header` is the journal's own or, if it cannot be read and damage is salvaged, that of the space that is asked.
struct Opened {
    JournalHeader header;
    std::uint64_t end = 0;  ///< offset where records begin, or from which they are searched
    std::vector<std::string> notes;
    [[nodiscard]] bool damaged() const { return !notes.empty(); }
};

/// The head of a journal that holds results, with notes on its damage. Throws StorageError for a damaged head that is
/// not to be salvaged, InputError for the head of another space.
Opened open_head(base::DurableFile const& file, format::Head const& head, JournalHeader const& wanted,
                 OnDamage on_damage) {
    if (head.state == format::HeadState::whole) {
        check_same_space(file.path(), *head.header, wanted);
        return {*head.header, head.end, {}};
    }
    if (on_damage == OnDamage::refuse) {
        throw sim::StorageError(
            file.path(),
            "{}; nothing was changed. Keep the readable records, and set the damaged file aside (--resume --force)?",
            head.problem);
    }
    return {wanted, head.end, {fmt::format("{}; {}", head.problem, evidence_of_space(file, head, wanted))}};
}

std::string damage_text(std::filesystem::path const& path, JournalReport const& report) {
    return fmt::format(
        "{} is damaged: {} bytes of it are unreadable, {} records are whole (nothing was changed). Keep those and set "
        "the damaged file aside (--resume --force)?",
        path.string(), report.damaged_bytes, report.records);
}

void deliver(std::filesystem::path const& path, std::span<std::byte const> payload, std::uint64_t metrics,
             JournalSink const& sink) {
    try {
        format::deliver(payload, metrics, sink);
    } catch (space::CodecError const& error) {
        throw sim::StorageError(path, "{} cannot be read ({}). Was it written by a newer version?", path.string(),
                                error.what());
    }
}

/// Reads the head of a journal without holding it; nullopt if the head is not complete.
std::optional<format::Head> look_at_head(base::DurableFile const& file) {
    auto head = format::read_head(file);
    if (head.state == format::HeadState::damaged) throw sim::StorageError(file.path(), head.problem);
    return head.state == format::HeadState::whole ? std::optional(std::move(head)) : std::nullopt;
}

constexpr std::size_t batch_bytes = std::size_t{16} << 20;

/// Gives the file a second name that is not in use, and returns it.
std::filesystem::path set_aside(std::filesystem::path const& path) {
    for (int number = 1;; ++number) {
        auto name = path;
        name += number == 1 ? std::string(".damaged") : fmt::format(".damaged-{}", number);
        if (::link(path.c_str(), name.c_str()) == 0) return name;
        if (errno != EEXIST) throw sim::StorageError::from_errno(name, "write", errno);
    }
}

std::uint64_t copy_records(base::DurableFile const& from, std::uint64_t begin, base::DurableFile const& to,
                           JournalHeader const& header) {
    space::Bytes bytes = format::header_bytes(header);
    std::uint64_t number = 0;
    format::Scanner scanner(from, {begin});
    scanner.run([&](std::uint64_t, std::span<std::byte const> payload) {
        auto const kind = static_cast<format::RecordKind>(payload.front());
        format::put_record(bytes, ++number, kind,
                           [&](space::Bytes& into) { into.insert(into.end(), payload.begin() + 1, payload.end()); });
        if (bytes.size() < batch_bytes) return;
        to.write(bytes);
        bytes.clear();
    });
    to.write(bytes);
    return number;
}

/// The result of salvaging a damaged journal.
struct Salvaged {
    base::DurableFile file;           ///< the new journal, under the old name, locked
    std::uint64_t end = 0;            ///< its size
    std::uint64_t records = 0;        ///< whole records that were copied, numbered from 1
    std::filesystem::path set_aside;  ///< where the damaged file is now, unchanged
};

/// Copies every whole record from `begin` on of a damaged journal into a new one, which takes over its name. The caller
/// holds the lock of the damaged journal.
Salvaged salvage(base::DurableFile const& damaged, std::uint64_t begin, JournalHeader const& header) {
    base::Replacement copy(damaged.path());
    std::uint64_t const records = copy_records(damaged, begin, copy.file(), header);
    copy.file().sync();
    // The damaged file has both names before the copy replaces it under the first one, so both names exist at all
    // times.
    auto const aside = set_aside(damaged.path());
    std::uint64_t const end = copy.file().size();
    return {copy.take_name(), end, records, aside};
}

}  // namespace

/// Makes records durable in groups, in a separate thread: while one sync runs, the next group accumulates, so that slow
/// disks cost latency and not throughput. Records are identified by number; the file must outlive this object.
class GroupCommit {
  public:
    /// `first` records are durable already. A sync starts when `group` records wait or the oldest has waited for
    /// `interval`.
    GroupCommit(base::DurableFile const& file, std::uint64_t first, std::uint32_t group,
                std::chrono::milliseconds interval)
        : file_(file), group_(group), interval_(interval), written_(first), durable_(first), thread_([this] {
              run();
          }) {}
    /// Makes the written records durable; a failure is lost.
    ~GroupCommit() {
        {
            std::scoped_lock const lock(mutex_);
            stopping_ = true;
        }
        work_.notify_one();
        thread_.join();
    }
    GroupCommit(GroupCommit const&) = delete;
    GroupCommit& operator=(GroupCommit const&) = delete;

    /// Notes that records up to this number have been written.
    void written(std::uint64_t last) {
        bool wake = false;
        {
            std::scoped_lock const lock(mutex_);
            bool const idle = written_ == durable_;
            if (idle) oldest_ = Clock::now();
            wake = idle || (written_ - durable_ < group_ && last - durable_ >= group_);
            written_ = last;
        }
        if (wake) work_.notify_one();
    }
    /// Returns when all written records are durable. Throws the StorageError of a sync that failed.
    void wait() {
        std::unique_lock lock(mutex_);
        std::uint64_t const last = written_;
        awaited_ = last;
        work_.notify_one();
        progress_.wait(lock, [&] { return durable_ >= last || failure_; });
        if (failure_) std::rethrow_exception(failure_);
    }
    /// Throws the StorageError of a sync that failed, if one did.
    void check() const {
        std::scoped_lock const lock(mutex_);
        if (failure_) std::rethrow_exception(failure_);
    }
    [[nodiscard]] std::uint64_t durable() const {
        std::scoped_lock const lock(mutex_);
        return durable_;
    }

  private:
    using Clock = std::chrono::steady_clock;
    void run() {
        std::unique_lock lock(mutex_);
        while (!failure_) {
            work_.wait(lock, [&] { return stopping_ || written_ != durable_; });
            if (written_ == durable_) return;
            work_.wait_until(lock, oldest_ + interval_,
                             [&] { return stopping_ || awaited_ > durable_ || written_ - durable_ >= group_; });
            sync_group(lock);
        }
    }
    void sync_group(std::unique_lock<std::mutex>& lock) {
        std::uint64_t const last = written_;
        auto const started = Clock::now();
        std::exception_ptr failure;
        lock.unlock();
        try {
            file_.sync();
        } catch (sim::StorageError const&) {
            failure = std::current_exception();
        }
        lock.lock();
        // After a failed sync, data in the page cache may be lost without another error, so the sync is not repeated.
        failure_ = failure;
        if (!failure) durable_ = last;
        oldest_ = started;
        progress_.notify_all();
    }

    base::DurableFile const& file_;
    std::uint32_t group_;
    std::chrono::milliseconds interval_;
    mutable std::mutex mutex_;
    std::condition_variable work_, progress_;
    std::uint64_t written_, durable_;
    std::uint64_t awaited_ = 0;   ///< number of the record for which wait() waits
    Clock::time_point oldest_{};  ///< no record that is not yet durable was written earlier
    bool stopping_ = false;
    std::exception_ptr failure_;
    std::thread thread_;
};

std::filesystem::path journal_path(std::filesystem::path const& result_file) {
    auto path = base::destination_of(result_file);
    path += ".journal";
    return path;
}

struct Journal::State {
    State(base::DurableFile opened, std::uint64_t size, std::uint64_t records, JournalSettings const& settings)
        : file(std::move(opened)),
          end(size),
          appended(records),
          commits(file, records, settings.commit_records, settings.commit_interval) {}

    /// Writes `count` records; `put` appends the bytes after the kind. Returns the number of the last record.
    std::uint64_t append(std::size_t count, format::RecordKind kind,
                         std::function<void(std::size_t, space::Bytes&)> const& put) {
        buffer.clear();
        std::uint64_t last = appended;
        for (std::size_t i = 0; i < count; ++i) {
            format::put_record(buffer, ++last, kind, [&](space::Bytes& into) { put(i, into); });
        }
        if (count != 0) write(last);
        return last;
    }
    void write(std::uint64_t last) {
        if (closed)
            throw sim::StorageError(file.path(), "{} is closed; no more records can be written", file.path().string());
        commits.check();
        try {
            file.write(buffer);
        } catch (sim::StorageError const&) {
            closed = true;
            // Half a batch would be a torn tail, so restore the file to its length before the write. If that fails,
            // too, the next reader drops the tail.
            try {
                file.truncate(end);
            } catch (sim::StorageError const&) {
            }
            throw;
        }
        appended = last;
        end += buffer.size();
        commits.written(last);
    }

    base::DurableFile file;
    std::uint64_t end;  ///< offset after the last whole record
    std::uint64_t appended;
    bool closed = false;  ///< a write failed, or the file is deleted
    JournalReport report;
    space::Bytes buffer;  ///< the records of one append
    GroupCommit commits;
};

Journal::Journal(std::unique_ptr<State> state) : state_(std::move(state)) {}
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;

Journal::~Journal() = default;

std::unique_ptr<Journal::State> Journal::started(base::DurableFile file, JournalSettings const& settings) {
    std::uint64_t const end = file.size();
    return std::make_unique<State>(std::move(file), end, 0, settings);
}

Journal Journal::create(std::filesystem::path const& path, JournalHeader const& header, Existing existing,
                        JournalSettings settings) {
    while (true) {
        auto const held = existing == Existing::replace ? base::lock_existing(path, settings.lock_wait) : std::nullopt;
        auto fresh = begin(path, header, held ? Over::held : Over::nothing, settings.result);
        if (fresh) return Journal(started(std::move(*fresh), settings));
        if (existing == Existing::refuse)
            throw sim::StorageError(path, "{} exists already (it was not changed)", path.string());
    }
}

Journal Journal::resume(std::filesystem::path const& path, JournalHeader const& header, JournalSink const& sink,
                        OnDamage on_damage, JournalSettings settings) {
    while (true) {
        auto held = base::lock_existing(path, settings.lock_wait);
        bool const empty = !held || format::read_head(*held).state == format::HeadState::unfinished;
        if (!empty) return Journal(continued(std::move(*held), header, sink, on_damage, settings));
        auto fresh = begin(path, header, held ? Over::held : Over::nothing, settings.result);
        if (fresh) return Journal(started(std::move(*fresh), settings));
    }
}

std::unique_ptr<Journal::State> Journal::continued(base::DurableFile file, JournalHeader const& header,
                                                   JournalSink const& sink, OnDamage on_damage,
                                                   JournalSettings const& settings) {
    auto const path = file.path();
    auto const opened = open_head(file, format::read_head(file), header, on_damage);
    format::Scanner scanner(file, {opened.end});
    scanner.run([&](std::uint64_t, std::span<std::byte const> payload) {
        deliver(path, payload, opened.header.metrics.size(), sink);
    });
    auto report = scanner.report();
    report.notes.insert(report.notes.begin(), opened.notes.begin(), opened.notes.end());
    std::uint64_t end = scanner.cursor().offset;
    std::uint64_t records = scanner.cursor().sequence;
    if (opened.damaged() || report.damaged()) {
        if (on_damage == OnDamage::refuse) throw sim::StorageError(path, damage_text(path, report));
        if (opened.damaged() && report.records == 0)
            throw sim::StorageError(path, "{}; no record in it can be read. Remove it?", report.notes.front());
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
    base::DurableFile const file(path, base::DurableFile::Mode::read);
    JournalCursor cursor = from != nullptr ? *from : JournalCursor{};
    if (cursor.offset == 0) {
        auto const head = look_at_head(file);
        if (!head) return {};
        cursor = {head->end, 0, head->header->metrics.size(), file.identity()};
    } else if (cursor.file != file.identity() || cursor.offset > file.size()) {
        throw sim::StorageError(
            path, fmt::format(
                      "{} is not the same journal as before (another run started under this name, or it was shortened)",
                      path.string()));
    }
    format::Scanner scanner(file, cursor);
    scanner.run(
        [&](std::uint64_t, std::span<std::byte const> payload) { deliver(path, payload, cursor.metrics, sink); });
    if (from != nullptr) *from = scanner.cursor();
    return scanner.report();
}

JournalHeader Journal::read_header(std::filesystem::path const& path) {
    auto head = look_at_head(base::DurableFile(path, base::DurableFile::Mode::read));
    if (!head) throw sim::StorageError(path, "{} is empty so far (its head is not complete)", path.string());
    return *std::move(head->header);
}

std::uint64_t Journal::append(std::span<space::Result const> results) {
    return state_->append(results.size(), format::RecordKind::result,
                          [&](std::size_t i, space::Bytes& into) { encode(results[i], into); });
}

std::uint64_t Journal::append(Started const& started) {
    return state_->append(1, format::RecordKind::started,
                          [&](std::size_t, space::Bytes& into) { format::put_started(into, started); });
}

std::uint64_t Journal::append(space::BlockSummary const& summary) {
    return state_->append(1, format::RecordKind::block,
                          [&](std::size_t, space::Bytes& into) { encode(summary, into); });
}

std::uint64_t Journal::append(space::BlockPart const& part) {
    return state_->append(1, format::RecordKind::part, [&](std::size_t, space::Bytes& into) { encode(part, into); });
}

std::uint64_t Journal::append(search::Standing const& standing) {
    return state_->append(1, format::RecordKind::standing,
                          [&](std::size_t, space::Bytes& into) { format::put_standing(into, standing); });
}

void Journal::tick() { state_->commits.check(); }
void Journal::commit() { state_->commits.wait(); }
std::uint64_t Journal::appended() const { return state_->appended; }
std::uint64_t Journal::durable() const { return state_->commits.durable(); }
JournalReport const& Journal::report() const { return state_->report; }
std::filesystem::path const& Journal::path() const { return state_->file.path(); }

void Journal::check_still_ours() const {
    auto const found = base::identity_of(path());
    if (!found || *found == state_->file.identity()) return;
    throw sim::StorageError(path(),
                            "{} belongs to another run by now (the journal of this run was removed meanwhile); no "
                            "file of that run was changed",
                            path().string());
}

void Journal::remove() {
    state_->closed = true;
    if (!state_->file.still_there()) return;
    if (::unlink(path().c_str()) != 0) throw sim::StorageError::from_errno(path(), "delete", errno);
    base::sync_directory_of(path());
}

}  // namespace pimdse::dse::store::journal
