#pragma once

#include "dse/store/durable_file.hpp"
#include "dse/store/journal/checksums.hpp"
#include "dse/store/journal/records.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace pimdse::dse::store::journal::format {

/// Walks over the records of a journal, from `cursor`, and past damage, in time linear in the size of the file.
class Scanner {
  public:
    Scanner(DurableFile const& file, JournalCursor cursor) : file_(file), size_(file.size()), cursor_(cursor) {}

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

    DurableFile const& file_;
    std::uint64_t size_;
    JournalCursor cursor_;
    task::Bytes window_;
    std::uint64_t window_start_ = 0;
    std::uint64_t strays_ = 0;  ///< whole records behind the last one in line whose numbers cannot follow
    std::uint64_t unsaid_ = 0;  ///< damaged places beyond those worth a sentence
    JournalReport report_;
};

}  // namespace pimdse::dse::store::journal::format
