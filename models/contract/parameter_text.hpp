#pragma once

#include "models/contract/parameter.hpp"
#include "sim/base/json.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// Place of a value, which decides what is suggested instead of several values: a space file or its --set, which accept
/// lists too; a request for one point; a request for several points.
enum class Takes : std::uint8_t { list_entry, one_value, point_of_many };

/// Parses one value as the user writes it ("8 MiB", "16", "true", "umdam"). The text of an open choice is appended to
/// the choices of the parameter. Throws InputError with one sentence (unit missing or of another dimension, several
/// values, unknown choice, not built yet). A whole number may be written as 256.0 or 2.56e2.
[[nodiscard]] Value read_value(Parameter& parameter, std::string_view text, Takes takes = Takes::list_entry);

/// Description of the values that a parameter accepts: "a whole number of tokens in 1..1048576".
[[nodiscard]] std::string accepted_text(Parameter const& parameter);

/// Text of a value as the user would write it; the inverse of read_value.
[[nodiscard]] std::string print_value(Parameter const& parameter, Value const& value);

/// A value as JSON: numbers in SI units with all bits, so that equal JSON means equal values; choices as text.
[[nodiscard]] sim::Json value_json(Parameter const& parameter, Value const& value);

/// A value as a cell of a machine-readable table (CSV): "400000000" for 400 MHz.
[[nodiscard]] std::string value_cell(Parameter const& parameter, Value const& value);

/// The `rank`-th ordering of `items` in lexicographic order of positions (Lehmer code). Precondition: rank <
/// items.size()!.
[[nodiscard]] std::vector<std::string> permutation(std::vector<std::string> const& items, std::uint64_t rank);

/// The rank of an ordering written as its items joined by "-"; the inverse of print_value. Throws InputError.
[[nodiscard]] std::uint64_t permutation_rank(Parameter const& parameter, std::string_view text);

// Choices that may be the user's own file: a path that ends in .toml (of a model also in .json), while the other
// choices are entries of a folder.

[[nodiscard]] bool names_own_file(std::string_view choice);

/// Index of the choice with this name, or of the only choice that is a user's own file and whose path ends in this
/// name; the number of choices if there is none.
[[nodiscard]] std::size_t find_choice(std::vector<std::string> const& choices, std::string_view name);

/// The file that a user's own file names as its `listing`, in the same folder; empty if there is none.
[[nodiscard]] std::filesystem::path listing_beside(std::filesystem::path const& file);

/// The same choice, which also accepts the user's own file, whose path has one of these endings. `check` reads the file
/// and throws InputError with every mistake. `list`: the command that prints the other choices, if there is one.
[[nodiscard]] Parameter or_own_file(Parameter parameter, std::function<void(std::string const&)> check,
                                    std::vector<std::string> endings = {".toml"}, std::string_view list = "");

}  // namespace pimdse::models
