#pragma once

#include "models/contract/constants.hpp"

#include <toml++/impl/forward_declarations.h>
#include <filesystem>
#include <string>
#include <vector>

namespace pimdse::models {

/// Reads the table of a constant (Constants). Adds a sentence to `mistakes` for each mistake.
[[nodiscard]] Constant read_constant(std::string_view name, toml::table const& table, std::filesystem::path const& file,
                                     std::vector<std::string>& mistakes);

}  // namespace pimdse::models
