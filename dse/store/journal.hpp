#pragma once

#include "dse/space/result.hpp"
#include "dse/store/journal_format.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace pimdse::dse::store::journal {
/// NAME.h5 -> NAME.h5.journal; if NAME.h5 is a symbolic link, next to the file that it leads to.
[[nodiscard]] std::filesystem::path journal_path(std::filesystem::path const& result_file);

/// What to do if a journal of this name exists.
enum class Existing : std::uint8_t { refuse, replace };

struct JournalSettings {
    std::uint32_t commit_records = 256;             ///< a sync starts when so many records wait,
    std::chrono::milliseconds commit_interval{50};  ///< or when the oldest one has waited for so long
    std::chrono::milliseconds lock_wait{10000};     ///< how long to wait for the lock of an existing journal
    std::filesystem::path result{};                 ///< the file whose access a new journal has, if it exists
};

/// The durable log of a run, and the authoritative record of its results until the run ends. Records have a CRC-32;
/// each batch is appended with one write(), and groups of records are made durable together. Only records counted by
/// durable() are acknowledged. One process holds the journal at a time. Every failure of the host is a StorageError and
/// loses nothing that was durable; afterwards the journal can only be closed.
class Journal {
  public:
    /// Starts a journal, which gets its name when its head is durable. If a journal of that name exists,
    /// Existing::replace acquires its lock first, and Existing::refuse throws a StorageError.
    static Journal create(std::filesystem::path const& path, JournalHeader const& header,
                          Existing existing = Existing::refuse, JournalSettings settings = {});

    /// Continues a journal: waits for its lock, passes every whole record to `sink` and drops a torn tail. If there is
    /// no journal, a new one is started. The run that held the lock may have sealed its result file and removed the
    /// journal meanwhile, so read a result file after this call. Throws InputError if the journal belongs to another
    /// space, MismatchError if an input file of the space has changed since. A damaged head, or a damaged record
    /// followed by whole ones, is refused with a StorageError that states what could be kept, and nothing is changed.
    /// OnDamage::salvage keeps the damaged file under another name (.damaged) and continues with the whole records. If
    /// a damaged head no longer names its space, the records are assumed to belong to this space, and the report has a
    /// note.
    static Journal resume(std::filesystem::path const& path, JournalHeader const& header, JournalSink const& sink,
                          OnDamage on_damage = OnDamage::refuse, JournalSettings settings = {});

    /// Reads a journal without changing or locking it, also while it is written. With `from`, continues where the last
    /// read ended. Throws a StorageError if another journal has this name meanwhile.
    static JournalReport read(std::filesystem::path const& path, JournalSink const& sink,
                              JournalCursor* from = nullptr);
    static JournalHeader read_header(std::filesystem::path const& path);

    Journal(Journal&&) noexcept;
    Journal& operator=(Journal&&) noexcept;
    /// Makes the appended records durable. An error is lost here, so call commit() first.
    ~Journal();

    /// Writes the records with one write(); a thread of the journal makes them durable as JournalSettings states. The
    /// results are acknowledged once durable() has reached the returned sequence number.
    std::uint64_t append(std::span<space::Result const> results);
    std::uint64_t append(Started const& started);
    std::uint64_t append(space::BlockSummary const& summary);
    std::uint64_t append(space::BlockPart const& part);
    std::uint64_t append(search::Standing const& standing);

    /// Throws the error of the background thread, if there was one. append() and commit() do so, too.
    void tick();
    /// Returns when all appended records are durable.
    void commit();

    [[nodiscard]] std::uint64_t appended() const;  ///< number of the last record written; the first is 1
    [[nodiscard]] std::uint64_t durable() const;   ///< number of the last record that survives a power failure
    /// The report of resume(); empty after create().
    [[nodiscard]] JournalReport const& report() const;
    [[nodiscard]] std::filesystem::path const& path() const;

    /// Throws a StorageError if another file has the journal's name by now: then the result file belongs to another
    /// run, too.
    void check_still_ours() const;
    /// Deletes the file while the lock is held, for a run whose results are all in a sealed result file. If another
    /// file has its name by now, that file is kept.
    void remove();

  private:
    struct State;
    explicit Journal(std::unique_ptr<State> state);
    static std::unique_ptr<State> continued(base::DurableFile file, JournalHeader const& header,
                                            JournalSink const& sink, OnDamage on_damage,
                                            JournalSettings const& settings);
    static std::unique_ptr<State> started(base::DurableFile file, JournalSettings const& settings);
    std::unique_ptr<State> state_;
};

}  // namespace pimdse::dse::store::journal
