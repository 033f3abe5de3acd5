#pragma once

#include "dse/base/durable_file.hpp"
#include "dse/search/certificate.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/space/result.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The contents of a journal, and the reports of its readers.
namespace pimdse::dse::store::journal {

/// Points whose evaluation was started. If one of them crashes the process, this record names the candidates. The
/// points are a run of ids or, if `points` is not empty, a list.
struct Started {
    models::Fidelity fidelity = models::Fidelity::analytic;
    space::PointId first{};
    std::uint64_t count = 0;
    std::vector<space::PointId> points;

    [[nodiscard]] std::uint64_t size() const { return points.empty() ? count : points.size(); }
    [[nodiscard]] space::Task task(std::uint64_t i) const {
        return {points.empty() ? space::PointId{index_of(first) + i} : points[i], fidelity};
    }
    bool operator==(Started const&) const = default;
};

/// Callbacks for the records of a journal, in the order of writing; an empty member is not called.
struct JournalSink {
    std::function<void(space::Result&&)> result;
    std::function<void(Started&&)> started;
    std::function<void(space::BlockSummary&&)> block;
    std::function<void(space::BlockPart&&)> part = {};
    std::function<void(search::Standing&&)> standing = {};
};

/// The findings of a reader of a journal.
struct JournalReport {
    std::uint64_t records = 0;        ///< whole records
    std::uint64_t torn_bytes = 0;     ///< after the last whole record: an append that never finished
    std::uint64_t damaged_bytes = 0;  ///< between whole records
    std::vector<std::string> notes;   ///< a sentence for everything unusual
    [[nodiscard]] bool damaged() const { return damaged_bytes != 0; }
};

/// What to do with a journal that is damaged.
enum class OnDamage : std::uint8_t { refuse, salvage };

/// How far a journal has been read.
struct JournalCursor {
    std::uint64_t offset = 0, sequence = 0;
    std::uint64_t metrics = 0;     ///< estimates per feasible result
    base::FileIdentity file = {};  ///< the file that was read
};

/// The head of a journal: which run writes it, and for which space.
struct JournalHeader {
    std::string architecture;
    std::vector<std::string> metrics;
    std::string space_text;
    std::string canonical_text;
    std::string run;                 ///< JSON text of the writer, for people and `watch`
    space::InputHashes inputs = {};  ///< inputs of the results; empty: not known

    static JournalHeader of(space::Columns const& columns, std::string run = "{}");
};

}  // namespace pimdse::dse::store::journal

/// The format of a journal's records on disk, which follow its head: length of the payload, CRC-32 of sequence number
/// and payload (u32 each), sequence number (u64), payload. The first byte of a payload is its kind. All numbers are
/// little-endian.
namespace pimdse::dse::store::journal::format {

inline constexpr std::size_t record_head = 16;  ///< before the payload
inline constexpr std::uint32_t longest_payload = 1U << 28;

enum class RecordKind : std::uint8_t { result = 1, started = 2, block = 3, part = 4, standing = 5 };

/// Appends one record; `put_payload` appends the bytes after the kind.
void put_record(space::Bytes& into, std::uint64_t sequence, RecordKind kind,
                std::function<void(space::Bytes&)> const& put_payload);

/// Appends the payload of a record of started points, after its kind: fidelity (u8), whether the points are a list
/// (u8), their number (u64), then the first id of the run or all ids of the list (u64).
void put_started(space::Bytes& into, Started const& started);

/// Appends the payload of a search status: pruned, in-flight and open points, gap, and whether the gap is rough.
void put_standing(space::Bytes& into, search::Standing const& standing);

/// Passes the payload to the member of the sink for its kind. Throws CodecError for an invalid payload, also if the
/// number of estimates of a feasible result is not `metrics`.
void deliver(std::span<std::byte const> payload, std::uint64_t metrics, JournalSink const& sink);

// The head of a journal: magic "PIMDSEJ\n", version, length and CRC-32 of a JSON text (u32 each), the text.

inline constexpr std::uint32_t version = 1;
inline constexpr std::size_t head_size = 20;  ///< before the JSON text

/// Throws a StorageError for a text of more than 256 MiB.
[[nodiscard]] space::Bytes header_bytes(JournalHeader const& header);

/// `unfinished`: cut off while it was written, so that the file cannot contain a record; also an empty file.
enum class HeadState : std::uint8_t { whole, unfinished, damaged };

struct Head {
    HeadState state = HeadState::unfinished;
    std::optional<JournalHeader> header;  ///< also of a damaged head, if its text matches the checksum
    std::uint64_t end = head_size;        ///< offset of the records; 20 if that is not known
    std::string problem;                  ///< of a damaged head: "FILE ..."
};

/// Reads the head of a journal. It is `damaged` if it is not whole and an interrupted start cannot have left such a
/// file.
[[nodiscard]] Head read_head(base::DurableFile const& file);

/// Which space is named by the first `end` bytes of a journal with a damaged head, as far as they can be read.
enum class Named : std::uint8_t { this_one, another, unreadable };
[[nodiscard]] Named space_named_by(base::DurableFile const& file, std::uint64_t end, JournalHeader const& wanted);

}  // namespace pimdse::dse::store::journal::format
