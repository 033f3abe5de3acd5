#pragma once

#include "dse/store/journal/records.hpp"
#include "dse/task/answer_codec.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

/// How the records of a journal lie on disk, behind its head: length of the payload, CRC-32 of sequence number and
/// payload (u32 each), sequence number (u64), payload. The first byte of a payload says what it is. All numbers are
/// little-endian.
namespace pimdse::dse::store::journal::format {

inline constexpr std::size_t record_head = 16;  ///< before the payload
inline constexpr std::uint32_t longest_payload = 1U << 28;

enum class RecordKind : std::uint8_t { answer = 1, started = 2, block = 3, part = 4, standing = 5 };

/// Appends one record; `put_payload` appends what follows the kind.
void put_record(task::Bytes& into, std::uint64_t sequence, RecordKind kind,
                std::function<void(task::Bytes&)> const& put_payload);

/// The payload of a mark, behind its kind: fidelity, number of points, the first one or "list", then the list.
void put_started(task::Bytes& into, Started const& started);

/// Closed, flying and open points, gap, and whether it is rough.
void put_standing(task::Bytes& into, task::Standing const& standing);

/// Hands the payload to the member of the sink that is for it. Throws CodecError, also for feasible answers that have
/// another number of estimates than `metrics`.
void deliver(std::span<std::byte const> payload, std::uint64_t metrics, JournalSink const& sink);

}  // namespace pimdse::dse::store::journal::format
