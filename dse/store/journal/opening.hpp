#pragma once

#include "dse/store/durable_file.hpp"
#include "dse/store/journal/head.hpp"
#include "dse/store/journal/journal_header.hpp"
#include "dse/store/journal/records.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// What stands between a name and a journal that can be written.
namespace pimdse::dse::store::journal::opening {

/// Makes a journal without records, with its lock; it takes the name when it is whole. Over::nothing: nullopt where
/// something has that name already. Over::held: what has it is ours to replace.
enum class Over : std::uint8_t { nothing, held };
[[nodiscard]] std::optional<DurableFile> begin(std::filesystem::path const& path, JournalHeader const& header,
                                               Over over);

/// Throws InputError when the journal is for something else.
void check_same_space(std::filesystem::path const& path, JournalHeader const& found, JournalHeader const& wanted);

/// The head of a journal that holds answers, and what to say of it: `header` is its own or, where it cannot be read and
/// `on_damage` is salvage, `wanted`. Throws StorageError for a damaged one that is not to be salvaged, InputError for
/// one of another space.
struct Opened {
    JournalHeader header;
    std::uint64_t end = 0;  ///< where records begin, or are searched for
    std::vector<std::string> notes;
    [[nodiscard]] bool damaged() const { return !notes.empty(); }
};
[[nodiscard]] Opened open_head(DurableFile const& file, format::Head const& head, JournalHeader const& wanted,
                               OnDamage on_damage);

}  // namespace pimdse::dse::store::journal::opening
