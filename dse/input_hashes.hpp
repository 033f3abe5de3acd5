#pragma once

#include "dse/differing_input.hpp"
#include "models/architecture.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse {

/// SHA-256 of every TOML file that can influence an answer of this architecture (its own folder, models/llm, models/dram),
/// by path below the data folder, sorted.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> input_hashes(models::Architecture const& architecture);

}  // namespace pimdse::dse
