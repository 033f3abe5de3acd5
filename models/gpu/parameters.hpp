#pragma once

#include "models/contract/architecture.hpp"
#include "models/gpu/constants.hpp"
#include "models/gpu/design.hpp"

#include <optional>
#include <vector>

namespace pimdse::models::gpu {

/// The table of parameters: names, units, defaults and meanings of the public contract.
[[nodiscard]] Parameters parameters();

/// Reads a point by position; `models` are those of the choices of `llm`.
[[nodiscard]] Design read_design(Point point, std::vector<LanguageModel> const& models);

/// Why a design cannot exist; nothing if it can.
[[nodiscard]] std::optional<Infeasible> broken_rule(Design const& design, MachineConstants const& machine);

}  // namespace pimdse::models::gpu
