#pragma once

#include "models/contract/architecture.hpp"
#include "models/gpu/design.hpp"

#include <vector>

namespace pimdse::models::gpu {

/// The table of parameters: names, units, defaults and meanings of the public contract.
[[nodiscard]] Parameters parameters();

/// Reads a point by position; `models` are those of the choices of `llm`.
[[nodiscard]] Design read_design(Point point, std::vector<sim::LanguageModel> const& models);

}  // namespace pimdse::models::gpu
