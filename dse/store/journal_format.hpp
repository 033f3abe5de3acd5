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

/// What a journal holds, and what its readers say of it.
namespace pimdse::dse::store::journal {

/// Points that were handed out: the process may die with one of them. A run of ids, or a list where `points` is not
/// empty.
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

/// Who gets the records of a journal, in the order of writing; a member left empty is not called.
struct JournalSink {
    std::function<void(space::Result&&)> result;
    std::function<void(Started&&)> started;
    std::function<void(space::BlockSummary&&)> block;
    std::function<void(space::BlockPart&&)> part = {};
    std::function<void(search::Standing&&)> standing = {};
};

/// What was found in a journal.
struct JournalReport {
    std::uint64_t records = 0;        ///< whole records
    std::uint64_t torn_bytes = 0;     ///< behind the last whole record: an append that never finished
    std::uint64_t damaged_bytes = 0;  ///< between whole records
    std::vector<std::string> notes;   ///< a sentence for everything unusual
    [[nodiscard]] bool damaged() const { return damaged_bytes != 0; }
};

/// What to do with a journal that is damaged.
enum class OnDamage : std::uint8_t { refuse, salvage };

/// How far a journal has been read.
struct JournalCursor {
    std::uint64_t offset = 0, sequence = 0;
    std::uint64_t metrics = 0;     ///< estimates per feasible answer
    base::FileIdentity file = {};  ///< what was read so far
};

}  // namespace pimdse::dse::store::journal

/// How the records of a journal lie on disk, behind its head: length of the payload, CRC-32 of sequence number and
/// payload (u32 each), sequence number (u64), payload. The first byte of a payload says what it is. All numbers are
/// little-endian.
namespace pimdse::dse::store::journal::format {

inline constexpr std::size_t record_head = 16;  ///< before the payload
inline constexpr std::uint32_t longest_payload = 1U << 28;

enum class RecordKind : std::uint8_t { result = 1, started = 2, block = 3, part = 4, standing = 5 };

/// Appends one record; `put_payload` appends what follows the kind.
void put_record(space::Bytes& into, std::uint64_t sequence, RecordKind kind,
                std::function<void(space::Bytes&)> const& put_payload);

/// The payload of a mark, behind its kind: fidelity, number of points, the first one or "list", then the list.
void put_started(space::Bytes& into, Started const& started);

/// Closed, flying and open points, gap, and whether it is rough.
void put_standing(space::Bytes& into, search::Standing const& standing);

/// Hands the payload to the member of the sink that is for it. Throws CodecError, also for feasible answers that have
/// another number of estimates than `metrics`.
void deliver(std::span<std::byte const> payload, std::uint64_t metrics, JournalSink const& sink);

}  // namespace pimdse::dse::store::journal::format

namespace pimdse::dse::store::journal {

/// What the head of a journal says of the run that writes it.
struct JournalHeader {
    std::string architecture;
    std::vector<std::string> metrics;
    std::string space_text;
    std::string canonical_text;
    std::string run;                 ///< JSON of the writer's choice, for people and `watch`
    space::InputHashes inputs = {};  ///< what the answers are computed from; empty: nobody knows

    static JournalHeader of(space::Columns const& columns, std::string run = "{}");
};

}  // namespace pimdse::dse::store::journal

/// The head of a journal: magic "PIMDSEJ\n", version, length and CRC-32 of a JSON text (u32 each), the text.
namespace pimdse::dse::store::journal::format {

inline constexpr std::uint32_t version = 1;
inline constexpr std::size_t head_size = 20;  ///< before the JSON text

/// Throws a StorageError for a text of more than 256 MiB.
[[nodiscard]] space::Bytes header_bytes(JournalHeader const& header);

/// `unfinished`: cut off while it was written, so that no record can be in the file; an empty file is, too.
enum class HeadState : std::uint8_t { whole, unfinished, damaged };

struct Head {
    HeadState state = HeadState::unfinished;
    std::optional<JournalHeader> header;  ///< also of a damaged head, if the text has its checksum
    std::uint64_t end = head_size;        ///< where records begin; behind the first 20 bytes where that is not known
    std::string problem;                  ///< of a damaged one: "FILE ..."
};

/// Looks at the head of a journal. A file with anything in it that an interrupted start cannot have left is `damaged`.
[[nodiscard]] Head read_head(base::DurableFile const& file);

/// Whether the bytes in front of the first record of a journal with a damaged head name this space.
enum class Named : std::uint8_t { this_one, another, unreadable };
[[nodiscard]] Named space_named_by(base::DurableFile const& file, std::uint64_t end, JournalHeader const& wanted);

}  // namespace pimdse::dse::store::journal::format
