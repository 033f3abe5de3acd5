#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::store {

/// Names and SHA-256 of files, sorted by name.
using InputHashes = std::vector<std::pair<std::string, std::string>>;

/// True of an input that is a file of the user's own: shipped ones have relative names.
[[nodiscard]] bool is_own_file(std::string_view input);

/// The first file that is not the same in both, or in one only, whatever the path of one of the user's own; nothing if
/// all are the same. An empty list means that nobody knows what was read, and differs from nothing.
[[nodiscard]] std::optional<std::string> differing_input(InputHashes const& a, InputHashes const& b);

}  // namespace pimdse::dse::store
