#pragma once

#include "models/text/machine_file.hpp"

#include <filesystem>

namespace pimdse::models::text {

class SourceFiles;  // source_files.hpp

/// Reads a machine file and those that it names. Throws InputError with every mistake, each with file, line and a
/// suggestion.
[[nodiscard]] MachineFile read_machine(std::filesystem::path const& file, SourceFiles& sources);

}  // namespace pimdse::models::text
