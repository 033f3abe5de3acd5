#pragma once

#include "models/contract/toml_file.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace pimdse::models::text {

/// Whether a machine may have this name, which is part of names of columns and of files: a letter, then letters, digits
/// and '_'; at most 64.
[[nodiscard]] bool is_machine_name(std::string_view name);

/// What the root of a machine's file says of it.
struct Head {
    std::string name;     ///< see is_machine_name
    std::string summary;  ///< one line; may be empty
};

/// Reads `schema`, `name` and `summary` and adds every mistake to that of the reader. Throws InputError with one
/// sentence for a file that is not a machine at all: it is empty, or a space. `root` reads `content`, the table of
/// `file`.
[[nodiscard]] Head read_head(TableReader& root, toml::table const& content, std::filesystem::path const& file);

}  // namespace pimdse::models::text
