#pragma once

#include "models/contract/architecture.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// Where a value stands, for what is suggested in place of several: in a space file or --set of one, which take lists
/// too; in a request for one point; in a request for points.
enum class Takes : std::uint8_t { list_entry, one_value, point_of_many };

/// Reads one value as a person writes it ("8 MiB", "16", "true", "umdam"). An open choice is appended to the
/// parameter's choices. Throws InputError in one sentence (unit missing or of the wrong dimension, several values,
/// unknown choice, not built yet). A whole number may be written as 256.0 or 2.56e2.
[[nodiscard]] Value read_value(Parameter& parameter, std::string_view text, Takes takes = Takes::list_entry);

/// What a parameter takes: "a whole number of tokens in 1..1048576".
[[nodiscard]] std::string accepted_text(Parameter const& parameter);

/// The value as a person would write it; the inverse of read_value.
[[nodiscard]] std::string print_value(Parameter const& parameter, Value const& value);

/// The `rank`-th ordering of `items` in lexicographic order of positions (Lehmer code); rank < items.size()!.
[[nodiscard]] std::vector<std::string> permutation(std::vector<std::string> const& items, std::uint64_t rank);

/// The rank of an ordering written as its items joined by "-"; the inverse of print_value. Throws InputError.
[[nodiscard]] std::uint64_t permutation_rank(Parameter const& parameter, std::string_view text);

// Choices that are files of a user's own: a path that ends in .toml, where others are entries of a folder.

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
