#pragma once

#include "models/contract/architecture.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

/// Choices that are files of a user's own: a path that ends in .toml, where others are entries of a folder.
namespace pimdse::models {

[[nodiscard]] bool names_own_file(std::string_view choice);

/// The index of the choice of this name, or of the only one that is a file of a user's own and ends in this path;
/// the number of choices where there is none.
[[nodiscard]] std::size_t find_choice(std::vector<std::string> const& choices, std::string_view name);

/// The file that one of these names as its `listing`, beside it; empty if there is none.
[[nodiscard]] std::filesystem::path listing_beside(std::filesystem::path const& file);

/// The same choice, which may be a file of the user's own, too. `check` reads it and throws InputError with every
/// mistake.
[[nodiscard]] Parameter or_own_file(Parameter parameter, std::function<void(std::string const&)> check);

}  // namespace pimdse::models
