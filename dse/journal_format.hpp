#pragma once

#include "dse/durable_file.hpp"
#include "dse/journal.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// How a journal lies on disk. Head: magic "PIMDSEJ\n", version, length and CRC-32 of a JSON text, the text. Then records:
/// length of the payload, CRC-32 of sequence number and payload (u32 each), sequence number (u64), payload. The first byte
/// of a payload says what it is. All numbers are little-endian.
namespace pimdse::dse::journal_format {

inline constexpr std::uint32_t version = 1;
inline constexpr std::size_t head_size = 20;    ///< before the JSON text
inline constexpr std::size_t record_head = 16;  ///< before the payload
inline constexpr std::uint32_t longest_payload = 1U << 28;

[[nodiscard]] Bytes header_bytes(JournalHeader const& header);

/// Appends one record; `put_payload` appends what follows the kind.
void put_record(Bytes& into, std::uint64_t sequence, RecordKind kind, std::function<void(Bytes&)> const& put_payload);

/// The payload of a mark, behind its kind: fidelity, number of points, the first one or "list", then the list.
void put_started(Bytes& into, Started const& started);

/// Hands the payload to the member of the sink that is for it. Throws CodecError.
void deliver(std::span<std::byte const> payload, JournalSink const& sink);

/// The head of a journal and where its records begin; nullopt if it was cut off while it was written, so that no record
/// can be behind it. Throws InputError for a file that is no journal, StorageError for a damaged head.
struct Head {
    JournalHeader header;
    std::uint64_t end = 0;
};
[[nodiscard]] std::optional<Head> read_head(DurableFile const& file);

/// Walks over the records of a journal, from `cursor`, and past damage.
class Scanner {
  public:
    Scanner(DurableFile const& file, Journal::Cursor cursor) : file_(file), size_(file.size()), cursor_(cursor) {}

    /// Calls `take` with sequence number and payload of each whole record, in order. Afterwards cursor() is behind the
    /// last one.
    void run(std::function<void(std::uint64_t, std::span<std::byte const>)> const& take);
    [[nodiscard]] JournalReport const& report() const { return report_; }
    [[nodiscard]] Journal::Cursor cursor() const { return cursor_; }

  private:
    struct Found {
        std::uint64_t offset = 0, sequence = 0;
        std::span<std::byte const> payload;
    };
    [[nodiscard]] std::span<std::byte const> view(std::uint64_t offset, std::size_t length);
    [[nodiscard]] std::optional<Found> whole_record(std::uint64_t offset, std::uint64_t highest_sequence);
    [[nodiscard]] std::optional<Found> search(std::uint64_t offset);
    void note_gap(std::uint64_t next_offset, std::uint64_t next_sequence);
    void note_tail();

    DurableFile const& file_;
    std::uint64_t size_;
    Journal::Cursor cursor_;
    Bytes window_;
    std::uint64_t window_start_ = 0;
    JournalReport report_;
};

}  // namespace pimdse::dse::journal_format
