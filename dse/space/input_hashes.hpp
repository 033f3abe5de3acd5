#pragma once

#include "dse/space/columns.hpp"
#include "models/contract/architecture.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// Names and SHA-256 of files, sorted by name.
using InputHashes = std::vector<std::pair<std::string, std::string>>;

/// The first input that differs between two lists of one space, or nothing. Shipped files in one list only do not
/// count: the space does not use them (files of older programs list more). Files of the user's own are compared by
/// content, whatever their paths. An empty list means that the inputs are unknown, and differs from nothing.
[[nodiscard]] std::optional<std::string> differing_input(InputHashes const& a, InputHashes const& b);

/// SHA-256 of the shipped files that results of this architecture depend on, by path below the data folder, and of the
/// program; sorted by name. The architecture's own folder counts but for published.toml; of the catalogues models/llm
/// and models/dram those files whose names are among `texts`.
[[nodiscard]] InputHashes input_hashes(models::Architecture const& architecture, std::set<std::string> const& texts);

/// SHA-256 of the files of a user's own that these parameters may take (models/contract/parameter_text.hpp), by path.
[[nodiscard]] InputHashes own_file_hashes(models::Inputs const& inputs);

class Space;
/// Those of all its machines and of what they are compared with.
[[nodiscard]] InputHashes input_hashes(Space const& space);

// Files of a user's own (models, constants, kernels) that a space names by absolute paths. What identifies one is its
// content (SHA-256), not where it lies: a project folder may move.

/// SHA-256 of a file's content; "" if it cannot be read.
[[nodiscard]] std::string file_sha256(std::filesystem::path const& file);

/// A canonical text with the content of own files in place of their paths. Equal for equal spaces wherever they lie;
/// the text itself where it names none.
[[nodiscard]] std::string identity_text(std::string_view canonical_text, InputHashes const& inputs);

/// True if two texts name one space: own files have the same paths, whose contents differing_input() compares, or the
/// same contents.
[[nodiscard]] bool same_space(std::string_view a, InputHashes const& of_a, std::string_view b, InputHashes const& of_b);

using Places = std::map<std::string, std::string>;  ///< old path, new path

/// Own files that do not lie any more where these inputs say, as found from a folder: at the same place below it or
/// below a folder above it, with the same content.
[[nodiscard]] Places moved_files(InputHashes const& inputs, std::filesystem::path const& folder);

/// Own files of `inputs` that have the content of a file of `others` under another path.
[[nodiscard]] Places same_content(InputHashes const& inputs, InputHashes const& others);

/// Names own files by their new paths.
void rename_own_files(Columns& columns, Places const& places);

}  // namespace pimdse::dse::space
