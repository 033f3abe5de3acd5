#pragma once

#include "dse/space/columns.hpp"
#include "dse/space/space.hpp"
#include "models/contract/assumptions.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace pimdse::dse::space {

/// Reconstructs the space of a result file, including settings of the command line, from its canonical text. Throws
/// StorageError if the text is damaged, InputError if this program does not know something that it names.
[[nodiscard]] Space space_of_columns(Columns const& columns, std::filesystem::path const& file = "the result file");

/// The assumptions that all machines of a result file's space share, read from columns.canonical_text; nullopt for a
/// space of one machine without assumptions, or if the text cannot be read.
[[nodiscard]] std::optional<models::Assumptions> assumptions_of(Columns const& columns);

/// "assuming view hardware, constants technology (7nm), ...", as a note to a table; "" without assumptions.
[[nodiscard]] std::string assumed_text(Columns const& columns);

}  // namespace pimdse::dse::space
