#pragma once

#include "dse/base/durable_file.hpp"
#include "dse/store/journal_format.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::store::journal {

/// CRC-32 of any range of bytes of a file for the price of two blocks, from sums over everything up to each block. A
/// search for records would otherwise sum a damaged stretch again from every byte that looks like the head of one.
class RangeChecksums {
  public:
    /// For ranges behind `start`; the file must outlive this.
    RangeChecksums(base::DurableFile const& file, std::uint64_t start) : file_(file), start_(start) {}

    /// Of the bytes [begin, end); start <= begin <= end <= size of the file.
    [[nodiscard]] std::uint32_t of(std::uint64_t begin, std::uint64_t end);

  private:
    /// Of everything from start to `end`.
    [[nodiscard]] std::uint32_t up_to(std::uint64_t end);
    /// Of `sum`, continued by the bytes from `offset` on, at most a block of them.
    [[nodiscard]] std::uint32_t continued(std::uint32_t sum, std::uint64_t offset, std::size_t length);

    base::DurableFile const& file_;
    std::uint64_t start_;
    std::vector<std::uint32_t> blocks_{0};  ///< blocks_[k]: of k blocks from start
};

}  // namespace pimdse::dse::store::journal

namespace pimdse::dse::store::journal::format {

/// Walks over the records of a journal, from `cursor`, and past damage, in time linear in the size of the file.
class Scanner {
  public:
    Scanner(base::DurableFile const& file, JournalCursor cursor) : file_(file), size_(file.size()), cursor_(cursor) {}

    /// Calls `take` with sequence number and payload of each whole record, in order. Afterwards cursor() is behind the
    /// last one.
    void run(std::function<void(std::uint64_t, std::span<std::byte const>)> const& take);
    [[nodiscard]] JournalReport const& report() const { return report_; }
    [[nodiscard]] JournalCursor cursor() const { return cursor_; }

  private:
    /// What is in front of a payload.
    struct Head {
        std::uint32_t length = 0, checksum = 0;
        std::uint64_t sequence = 0;
    };
    struct Found {
        std::uint64_t offset = 0, sequence = 0;
        std::span<std::byte const> payload;
    };
    [[nodiscard]] std::span<std::byte const> view(std::uint64_t offset, std::size_t length);
    /// nullopt where no record can begin.
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
    std::uint64_t strays_ = 0;  ///< whole records behind the last one in line whose numbers cannot follow
    std::uint64_t unsaid_ = 0;  ///< damaged places beyond those worth a sentence
    JournalReport report_;
};

}  // namespace pimdse::dse::store::journal::format

namespace pimdse::dse::store::journal {

/// What became of a damaged journal.
struct Salvaged {
    base::DurableFile file;           ///< the new journal, under the old name, locked
    std::uint64_t end = 0;            ///< its size
    std::uint64_t records = 0;        ///< whole records taken over, numbered from 1
    std::filesystem::path set_aside;  ///< where the damaged file is now, unchanged
};

/// Copies every whole record from `begin` on of a damaged journal, whose lock is held, into a new one that takes over
/// its name.
[[nodiscard]] Salvaged salvage(base::DurableFile const& damaged, std::uint64_t begin, JournalHeader const& header);

}  // namespace pimdse::dse::store::journal
