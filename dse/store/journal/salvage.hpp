#pragma once

#include "dse/store/durable_file.hpp"
#include "dse/store/journal/journal_header.hpp"

#include <cstdint>
#include <filesystem>

namespace pimdse::dse::store::journal {

/// What became of a damaged journal.
struct Salvaged {
    DurableFile file;                 ///< the new journal, under the old name, locked
    std::uint64_t end = 0;            ///< its size
    std::uint64_t records = 0;        ///< whole records taken over, numbered from 1
    std::filesystem::path set_aside;  ///< where the damaged file is now, unchanged
};

/// Copies every whole record from `begin` on of a damaged journal, whose lock is held, into a new one that takes over
/// its name.
[[nodiscard]] Salvaged salvage(DurableFile const& damaged, std::uint64_t begin, JournalHeader const& header);

}  // namespace pimdse::dse::store::journal
