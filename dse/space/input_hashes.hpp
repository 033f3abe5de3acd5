#pragma once

#include "dse/space/columns.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// Names and SHA-256 of input files, sorted by name.
using InputHashes = std::vector<std::pair<std::string, std::string>>;

/// The first input that differs between two lists for one space; nullopt if none does. A shipped file in one list only
/// does not count, because the space does not use it (older versions of the program list more files). A user's own
/// files are compared by content, independently of their paths. An empty list means that the inputs are unknown; it
/// differs from nothing.
[[nodiscard]] std::optional<std::string> differing_input(InputHashes const& a, InputHashes const& b);

/// SHA-256 of the program and of the files that results of this architecture depend on, sorted by name_of_input. These
/// are all files in the architecture's own folder except published.toml, or the files of a machine that is a text file
/// as they were read, and those files of the catalogues models/llm and models/dram whose names are among `texts`.
[[nodiscard]] InputHashes input_hashes(models::Architecture const& architecture, std::set<std::string> const& texts);

/// True if an input is a user's own file: names of shipped files are relative.
[[nodiscard]] bool is_own_file(std::string_view input);

/// The path of a shipped file below the data folder, or that of a user's own file.
[[nodiscard]] std::string name_of_input(std::filesystem::path const& file);

struct Machine;
/// The user's own files from which machines, their baselines and their tables were read, sorted by path.
[[nodiscard]] std::vector<models::SourceFile> machine_files(std::span<Machine const> machines);

/// SHA-256 of the user's own files that these parameters may name (models/contract/parameter_text.hpp), by path.
[[nodiscard]] InputHashes own_file_hashes(models::Inputs const& inputs);

class Space;
/// The inputs of all machines of the space and of their baselines.
[[nodiscard]] InputHashes input_hashes(Space const& space);

// A user's own files (models, constants, kernels) are named in a space by absolute paths. Such a file is identified by
// its content (SHA-256) and not by its path, because a project folder may move.

/// SHA-256 of a file's content; "" if it cannot be read.
[[nodiscard]] std::string file_sha256(std::filesystem::path const& file);

/// A canonical text in which the paths of own files are replaced by their content hashes. Equal for equal spaces
/// wherever their files are stored; unchanged if the text names no own file.
[[nodiscard]] std::string identity_text(std::string_view canonical_text, InputHashes const& inputs);

/// True if two texts identify one space: their own files have the same paths (differing_input() compares the contents),
/// or the same contents.
[[nodiscard]] bool same_space(std::string_view a, InputHashes const& of_a, std::string_view b, InputHashes const& of_b);

using Places = std::map<std::string, std::string>;  ///< old path, new path

/// Own files that are no longer at the recorded path or no longer have the recorded content, and where they were found:
/// at the same relative path below `folder` or a parent of it, with the recorded content.
[[nodiscard]] Places moved_files(InputHashes const& inputs, std::filesystem::path const& folder);

/// Own files of `inputs` whose content is in `others` under another path.
[[nodiscard]] Places same_content(InputHashes const& inputs, InputHashes const& others);

/// Replaces the paths of own files by their new paths.
void rename_own_files(Columns& columns, Places const& places);

}  // namespace pimdse::dse::space
