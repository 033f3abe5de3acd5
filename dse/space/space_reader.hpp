#pragma once

#include "dse/space/space.hpp"

#include <toml++/impl/forward_declarations.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::space {

/// A name and value from the command line; replaces the file's value of a parameter, workload key or search setting.
using Override = std::pair<std::string, std::string>;

/// Overrides whose names begin with this prefix set keys of [assumptions]: "assumptions.view".
inline constexpr std::string_view assumption_prefix = "assumptions.";

/// Parses the text of a space file; `name`: the name of the file in messages. Throws InputError with every mistake in
/// it (file, line, suggestion).
[[nodiscard]] Space parse_space(std::string const& text, std::string const& name,
                                std::vector<Override> const& overrides = {});

/// The text of a space file. Throws MissingInput.
[[nodiscard]] std::string read_space_text(std::filesystem::path const& file);

/// Makes the paths of the user's own files in all parts of a space file absolute.
void make_files_absolute(toml::table& content, std::filesystem::path const& folder);

}  // namespace pimdse::dse::space
