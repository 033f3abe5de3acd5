#pragma once

#include "dse/base/durable_file.hpp"
#include "dse/store/journal_format.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::store::journal::format {

/// CRC-32 of any byte range of a file at the cost of reading two blocks, from prefix checksums up to each block.
/// Without these, a search for records would read damaged bytes again for every byte that looks like the head of a
/// record.
class RangeChecksums {
  public:
    /// For ranges that do not begin before `start`; the file must outlive this object.
    RangeChecksums(base::DurableFile const& file, std::uint64_t start) : file_(file), start_(start) {}

    /// The checksum of the bytes [begin, end); start <= begin <= end <= size of the file.
    [[nodiscard]] std::uint32_t of(std::uint64_t begin, std::uint64_t end);

  private:
    /// The checksum of the bytes [start, end).
    [[nodiscard]] std::uint32_t up_to(std::uint64_t end);
    /// The checksum `sum`, continued with `length` bytes from `offset` on, at most a block.
    [[nodiscard]] std::uint32_t continued(std::uint32_t sum, std::uint64_t offset, std::size_t length);

    base::DurableFile const& file_;
    std::uint64_t start_;
    std::vector<std::uint32_t> blocks_{0};  ///< blocks_[k]: checksum of the first k blocks from start
};

/// Reads the records of a journal from `cursor` on, skipping damage, in time linear in the size of the file.
class Scanner {
  public:
    Scanner(base::DurableFile const& file, JournalCursor cursor) : file_(file), size_(file.size()), cursor_(cursor) {}

    /// Calls `take` with sequence number and payload of each whole record, in order. Afterwards cursor() is at the end
    /// of the last one.
    void run(std::function<void(std::uint64_t, std::span<std::byte const>)> const& take);
    [[nodiscard]] JournalReport const& report() const { return report_; }
    [[nodiscard]] JournalCursor cursor() const { return cursor_; }

  private:
    /// The numbers before a payload.
    struct Head {
        std::uint32_t length = 0, checksum = 0;
        std::uint64_t sequence = 0;
    };
    struct Found {
        std::uint64_t offset = 0, sequence = 0;
        std::span<std::byte const> payload;
    };
    [[nodiscard]] std::span<std::byte const> view(std::uint64_t offset, std::size_t length);
    /// The head of a record at this offset; nullopt if no record can begin there.
    [[nodiscard]] std::optional<Head> head_at(std::uint64_t offset);
    [[nodiscard]] std::optional<Found> next_in_line();
    [[nodiscard]] std::optional<Found> search();
    void note(std::string sentence);
    void note_gap(Found const& next);
    void note_tail();

    base::DurableFile const& file_;
    std::uint64_t size_;
    JournalCursor cursor_;
    space::Bytes window_;
    std::uint64_t window_start_ = 0;
    std::uint64_t strays_ = 0;         ///< whole records in the tail whose numbers cannot follow the last one
    std::uint64_t omitted_notes_ = 0;  ///< damaged places beyond the limit of notes
    JournalReport report_;
};

}  // namespace pimdse::dse::store::journal::format
