#pragma once

#include "dse/store/differing_input.hpp"
#include "models/contract/architecture.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse {

/// Under this name goes what the program itself was built from.
inline constexpr std::string_view of_the_program = "the program (its sim and models)";

/// SHA-256 of every TOML file that can influence an answer of this architecture (its own folder, models/llm,
/// models/dram), by path below the data folder, and of the program; sorted by name.
[[nodiscard]] InputHashes input_hashes(models::Architecture const& architecture);

}  // namespace pimdse::dse
