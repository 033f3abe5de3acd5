#pragma once

#include <toml++/toml.h>
#include <filesystem>

namespace pimdse::dse::space_file {

/// Writes the paths of files of the user's own (models/contract/own_file.hpp) that a node names, in whatever depth, as
/// absolute paths; relative ones begin at `folder`.
void make_absolute(toml::node& node, std::filesystem::path const& folder);

/// The same of all in a space file that is a parameter or asks something of one.
void make_files_absolute(toml::table& content, std::filesystem::path const& folder);

}  // namespace pimdse::dse::space_file
