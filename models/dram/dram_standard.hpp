#pragma once

#include "sim/dram/standard.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// Names (file stem) of the timing sets in models/dram, sorted.
[[nodiscard]] std::vector<std::string> dram_standard_names();

/// Reads models/dram/<name>.toml, or the user's own file (models/contract/parameter_text.hpp), for one of its densities
/// (Gbit; 0: the default of the file), which decides rows and refresh time. Contradictions are corrected by
/// sim::dram::corrected and reported by sim::dram::review. Throws InputError with file and line (every mistake), or
/// with the known sets or densities.
[[nodiscard]] sim::dram::Standard load_dram_standard(std::string_view name, int density_gbit = 0);
[[nodiscard]] sim::dram::Standard load_dram_file(std::filesystem::path const& file, int density_gbit = 0);

/// The file of a timing set: models/dram/<name>.toml, or the user's own file. Throws InputError with the known sets.
[[nodiscard]] std::filesystem::path dram_file(std::string_view name);

/// Available densities of a set, Gbit, ascending.
[[nodiscard]] std::vector<int> dram_densities(std::string_view name);

/// Review of a set as written, before correction (its warnings are for the user).
[[nodiscard]] sim::dram::Review review_dram_standard(std::string_view name);

}  // namespace pimdse::models
