#pragma once

#include "dse/space/space.hpp"

#include <toml++/toml.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::space {

/// "name=value" from the command line; replaces what the file says of a parameter, workload or search setting.
using Override = std::pair<std::string, std::string>;

/// Names of overrides that begin so are keys of [assumptions]: "assumptions.view".
inline constexpr std::string_view assumption_prefix = "assumptions.";

/// Reads the text of a space file; `name` stands for the file in messages. Throws InputError with every mistake in it
/// (file, line, suggestion).
[[nodiscard]] Space parse_space(std::string const& text, std::string const& name,
                                std::vector<Override> const& overrides = {});

/// A space file as written. Throws MissingInput.
[[nodiscard]] std::string read_space_text(std::filesystem::path const& file);

/// The same of all in a space file that is a parameter or asks something of one.
void make_files_absolute(toml::table& content, std::filesystem::path const& folder);

}  // namespace pimdse::dse::space
