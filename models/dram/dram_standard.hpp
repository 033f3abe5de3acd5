#pragma once

#include "sim/dram/standard.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// Names (file stem) of the timing sets in models/dram, sorted.
[[nodiscard]] std::vector<std::string> dram_standard_names();

/// Reads models/dram/<name>.toml, or a file of the user's own (models/contract/parameter_text.hpp), for one of its
/// densities (Gbit; 0: the file's default), which decides rows and refresh time. Contradictions are corrected as
/// sim::dram::corrected does; sim::dram::review reports them. Throws InputError with file and line (every mistake), or
/// naming the known sets or densities.
[[nodiscard]] sim::dram::Standard load_dram_standard(std::string_view name, int density_gbit = 0);
[[nodiscard]] sim::dram::Standard load_dram_file(std::filesystem::path const& file, int density_gbit = 0);

/// The densities a set can be had in, Gbit, ascending.
[[nodiscard]] std::vector<int> dram_densities(std::string_view name);

/// What a review says about a set as written, before correction (its warnings are for the user).
[[nodiscard]] sim::dram::Review review_dram_standard(std::string_view name);

}  // namespace pimdse::models
