#pragma once

#include "models/contract/architecture.hpp"
#include "models/gpu/constants.hpp"

#include <optional>

namespace pimdse::models::gpu {

/// Why a design cannot exist; nothing if it can.
[[nodiscard]] std::optional<Infeasible> broken_rule(Design const& design, MachineConstants const& machine);

}  // namespace pimdse::models::gpu
