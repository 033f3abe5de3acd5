#pragma once

#include "models/contract/architecture.hpp"
#include "models/gpu/constants.hpp"
#include "models/gpu/design.hpp"

#include <optional>
#include <vector>

namespace pimdse::models::gpu {

/// The parameter table: names, units, defaults and meanings of the public contract.
[[nodiscard]] Parameters parameters();

/// Reads a point by position; `models` belong to the choices of `llm`.
[[nodiscard]] Design read_design(Point point, Prepared const& prepared);

/// The rule that a design violates; nullopt if it can exist.
[[nodiscard]] std::optional<Infeasible> broken_rule(Design const& design, MachineConstants const& machine);

}  // namespace pimdse::models::gpu
