#pragma once

#include "models/dplena/design.hpp"
#include "models/dplena/prepared.hpp"

#include <optional>

namespace pimdse::models::dplena {

/// The first rule that the design breaks, with the numbers; nothing if it can be built and run.
[[nodiscard]] std::optional<Infeasible> broken_rule(Design const& design, Prepared const& prepared);

}  // namespace pimdse::models::dplena
