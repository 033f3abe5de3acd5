#pragma once

#include "dse/space/columns.hpp"
#include "dse/space/space.hpp"
#include "models/contract/assumptions.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace pimdse::dse::space {

/// The space that a result file's answers belong to, command line included, from its canonical text. Throws
/// StorageError where that is no such text, InputError where this program lacks what it names.
[[nodiscard]] Space space_of_columns(Columns const& columns, std::filesystem::path const& file = "the result file");

/// What all machines of the space of a result file stand on, read from columns.canonical_text; nothing of a space of
/// one machine that assumes nothing, or where the text cannot be read.
[[nodiscard]] std::optional<models::Assumptions> assumptions_of(Columns const& columns);

/// "assuming view hardware, constants technology (7nm), ...", for the reader of a table; "" where there is nothing to
/// say.
[[nodiscard]] std::string assumed_text(Columns const& columns);

}  // namespace pimdse::dse::space
