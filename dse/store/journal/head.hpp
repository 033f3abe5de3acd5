#pragma once

#include "dse/store/durable_file.hpp"
#include "dse/store/journal/journal_header.hpp"
#include "dse/task/answer_codec.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// The head of a journal: magic "PIMDSEJ\n", version, length and CRC-32 of a JSON text (u32 each), the text.
namespace pimdse::dse::store::journal::format {

inline constexpr std::uint32_t version = 1;
inline constexpr std::size_t head_size = 20;  ///< before the JSON text

/// Throws a StorageError for a text of more than 256 MiB.
[[nodiscard]] task::Bytes header_bytes(JournalHeader const& header);

/// `unfinished`: cut off while it was written, so that no record can be in the file; an empty file is, too.
enum class HeadState : std::uint8_t { whole, unfinished, damaged };

struct Head {
    HeadState state = HeadState::unfinished;
    std::optional<JournalHeader> header;  ///< also of a damaged head, if the text has its checksum
    std::uint64_t end = head_size;        ///< where records begin; behind the first 20 bytes where that is not known
    std::string problem;                  ///< of a damaged one: "FILE ..."
};

/// Looks at the head of a journal. A file with anything in it that an interrupted start cannot have left is `damaged`.
[[nodiscard]] Head read_head(DurableFile const& file);

/// Whether the bytes in front of the first record of a journal with a damaged head name this space.
enum class Named : std::uint8_t { this_one, another, unreadable };
[[nodiscard]] Named space_named_by(DurableFile const& file, std::uint64_t end, JournalHeader const& wanted);

}  // namespace pimdse::dse::store::journal::format
