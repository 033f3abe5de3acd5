#pragma once

#include "dse/space/result.hpp"
#include "dse/store/journal_format.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace pimdse::dse::store::journal {
/// NAME.h5 -> NAME.h5.journal, beside the file that NAME.h5 leads to if it is a symbolic link.
[[nodiscard]] std::filesystem::path journal_path(std::filesystem::path const& result_file);

enum class Existing : std::uint8_t { refuse, replace };

struct JournalSettings {
    std::uint32_t commit_records = 256;
    std::chrono::milliseconds commit_interval{50};
    std::chrono::milliseconds lock_wait{10000};
};

/// The durable log of a run: the only truth while the run lives. Records are checked by CRC-32, appended with one write
/// per batch and made durable in groups; only what durable() counts is acknowledged. One process holds it at a time.
/// Every failure of the machine is a StorageError and loses nothing that was durable; after one the journal only
/// closes.
class Journal {
  public:
    /// Starts a journal, which gets its name when its head is durable. Existing::replace takes the lock of an existing
    /// one first; with Existing::refuse it throws a StorageError if there is one.
    static Journal create(std::filesystem::path const& path, JournalHeader const& header,
                          Existing existing = Existing::refuse, JournalSettings settings = {});

    /// Goes on with a journal: waits for its lock, hands every whole record to `sink`, drops a torn tail. Where there
    /// is none (any more: the run that held the lock may have sealed its file and removed it) a new one is started; so
    /// a result file is best read after this. Throws InputError when the journal belongs to another space. A damaged
    /// head, and a record damaged in the middle, are refused with a StorageError that says what could be kept, and
    /// nothing is changed; OnDamage::salvage keeps the damaged file beside it (.damaged) and goes on with the whole
    /// records. Where a damaged head does not name its space any more, they are taken for answers in this one, with a
    /// note.
    static Journal resume(std::filesystem::path const& path, JournalHeader const& header, JournalSink const& sink,
                          OnDamage on_damage = OnDamage::refuse, JournalSettings settings = {});

    /// Reads a journal without touching or locking it, also while it is written; `from` continues where the last read
    /// ended. Throws a StorageError when another journal has taken the name meanwhile.
    static JournalReport read(std::filesystem::path const& path, JournalSink const& sink,
                              JournalCursor* from = nullptr);
    static JournalHeader read_header(std::filesystem::path const& path);

    Journal(Journal&&) noexcept;
    Journal& operator=(Journal&&) noexcept;
    /// Makes durable what was appended; an error then is lost, so call commit() first.
    ~Journal();

    /// Writes the records with one write(); a thread of the journal's own makes them durable when 256 of them or 50 ms
    /// wait. The answers are acknowledged once durable() has reached the returned sequence number.
    std::uint64_t append(std::span<space::Result const> results);
    std::uint64_t append(Started const& started);
    std::uint64_t append(space::BlockSummary const& summary);
    std::uint64_t append(space::BlockPart const& part);
    std::uint64_t append(search::Standing const& standing);

    /// Throws what went wrong in the background, if anything did; append() and commit() do so, too.
    void tick();
    /// Returns when everything appended is durable.
    void commit();

    [[nodiscard]] std::uint64_t appended() const;  ///< number of the last record written; the first is 1
    [[nodiscard]] std::uint64_t durable() const;   ///< number of the last record that survives a power failure
    /// What resume() found; empty after create().
    [[nodiscard]] JournalReport const& report() const;
    [[nodiscard]] std::filesystem::path const& path() const;

    /// Throws a StorageError when another file has the journal's name by now: then the result file is another run's,
    /// too.
    void check_still_ours() const;
    /// Deletes the file, under the lock; for a run whose answers all are in a sealed result file. What has its name by
    /// now, if it is another file, is left alone.
    void remove();

  private:
    struct State;
    explicit Journal(std::unique_ptr<State> state);
    static std::unique_ptr<State> go_on(base::DurableFile file, JournalHeader const& header, JournalSink const& sink,
                                        OnDamage on_damage, JournalSettings const& settings);
    static std::unique_ptr<State> begun(base::DurableFile file, JournalSettings const& settings);
    std::unique_ptr<State> state_;
};

}  // namespace pimdse::dse::store::journal
