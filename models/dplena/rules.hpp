#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"

#include <optional>

namespace pimdse::models::dplena {

/// The first rule that the design breaks, with the numbers; nothing if it can be built and run.
[[nodiscard]] std::optional<Infeasible> broken_rule(Design const& design, Machine const& machine);

}  // namespace pimdse::models::dplena
