#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/several_values.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

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

}  // namespace pimdse::models
