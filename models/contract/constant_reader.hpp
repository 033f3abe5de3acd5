#pragma once

#include "models/contract/constants.hpp"

#include <toml++/impl/forward_declarations.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// Reads the table of a constant (Constants). Adds a sentence to `mistakes` for each mistake.
[[nodiscard]] Constant read_constant(std::string_view name, toml::table const& table, std::filesystem::path const& file,
                                     std::vector<std::string>& mistakes);

/// The largest number, in SI, that any machine may have: products of a few such numbers are finite.
[[nodiscard]] double max_magnitude();

/// Why no machine has this number, in SI, of a unit: "1e+308 s is beyond what a time can be (0, or 1e-30 to 1e+12 s)";
/// "" if one may.
[[nodiscard]] std::string beyond_magnitudes(double si, std::string_view unit);

}  // namespace pimdse::models
