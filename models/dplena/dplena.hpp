#pragma once

#include "models/contract/architecture.hpp"
#include "models/dplena/design.hpp"
#include "models/dplena/parameters.hpp"

#include <optional>

namespace pimdse::models::dplena {

/// The entry of the catalogue of architectures; see README.md in this folder.
[[nodiscard]] Architecture architecture();

/// Why the steps of a design are not modelled, or the rule that it breaks with every request. nullopt if there is none.
[[nodiscard]] std::optional<Infeasible> broken_step_rule(Design const& design, Prepared const& prepared);

}  // namespace pimdse::models::dplena
