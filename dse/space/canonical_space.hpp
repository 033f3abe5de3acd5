#pragma once

#include "dse/space/space.hpp"
#include "dse/task/columns.hpp"

#include <filesystem>

namespace pimdse::dse::space {

/// The space that a result file's answers belong to, command line included, from its canonical text. Throws
/// StorageError where that is no such text, InputError where this program lacks what it names.
[[nodiscard]] Space space_of_columns(task::Columns const& columns,
                                     std::filesystem::path const& file = "the result file");

}  // namespace pimdse::dse::space
