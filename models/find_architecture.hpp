#pragma once

#include "models/contract/architecture.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

// An architecture is named by the name of a built-in one or of a machine of models/machines, by the path of a machine's
// file (models/text), or as the pair of two of these, "pair:PREFILL:DECODE" (models/pair). A name that ends in .toml or
// contains a slash is a path.

/// The architecture with this name; relative paths begin at the current folder. What it returns never changes: after a
/// change of a file, its path gives another object. Throws InputError with every mistake of a file, or with a
/// suggestion.
[[nodiscard]] Architecture const& find_architecture(std::string_view name);

/// The same with the texts of files that a result file keeps, in whatever state the files are.
[[nodiscard]] Architecture const& find_kept_architecture(std::string_view name, std::vector<SourceFile> const& kept);

/// The pair of two architectures that find_architecture returned; made once.
[[nodiscard]] Architecture const& find_pair(Architecture const& prefill, Architecture const& decode);

/// What find_architecture finds it by in any folder: its name, the absolute path of its file, or the pair of these.
[[nodiscard]] std::string reference_of(Architecture const& architecture);

/// The same name with absolute paths; relative ones begin at `folder`.
[[nodiscard]] std::string absolute_architecture(std::string_view name, std::filesystem::path const& folder);

/// The paths in the name of an architecture: none, its own, or those of a pair.
[[nodiscard]] std::vector<std::filesystem::path> paths_in(std::string_view name);

/// Every architecture that comes with the program: the catalogue, then the machines of models/machines.
[[nodiscard]] std::vector<Architecture const*> shipped_architectures();

/// Those of which there are published figures, and the bills of models/economy.
[[nodiscard]] std::vector<Architecture const*> published_architectures();

}  // namespace pimdse::models
