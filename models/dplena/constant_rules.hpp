#pragma once

#include "models/contract/constant_rules.hpp"

namespace pimdse::models::dplena {

/// What bounds and directions of this architecture presuppose of its constants (README.md, Lows).
[[nodiscard]] ConstantRules constant_rules();

}  // namespace pimdse::models::dplena
