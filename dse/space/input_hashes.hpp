#pragma once

#include "dse/store/differing_input.hpp"
#include "models/contract/architecture.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// SHA-256 of every TOML file and listing that can influence an answer of this architecture (its own folder,
/// models/llm, models/dram), by path below the data folder, and of the program; sorted by name.
[[nodiscard]] store::InputHashes input_hashes(models::Architecture const& architecture);

/// SHA-256 of the files of a user's own that these parameters may take (models/contract/own_file.hpp), by path.
[[nodiscard]] store::InputHashes own_file_hashes(models::Inputs const& inputs);

class Space;
/// Those of all its machines and of what they are compared with.
[[nodiscard]] store::InputHashes input_hashes(Space const& space);

}  // namespace pimdse::dse::space
