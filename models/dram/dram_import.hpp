#pragma once

#include <filesystem>
#include <string>

namespace pimdse::models {

/// The text of a timing set (models/dram) with this name, made from a configuration of DRAMsim3 (.ini) or Ramulator 2
/// (.yaml) for DDR4, LPDDR5 or HBM2. Its comments say what the file lacks, which is then as in the shipped set of the
/// family, in ns, and what of the file is not used. Throws InputError with file and line.
[[nodiscard]] std::string imported_dram(std::filesystem::path const& file, std::string const& name);

}  // namespace pimdse::models
