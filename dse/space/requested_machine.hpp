#pragma once

#include "dse/space/machine.hpp"
#include "models/contract/architecture.hpp"

namespace pimdse::dse::space {

/// The outcome in the scenario with this number: one batch, or its traffic. `point` has the values that it sets.
[[nodiscard]] models::Outcome evaluate_scenario(Machine const& machine, std::size_t scenario, models::Point point,
                                                models::Fidelity fidelity);

/// The outcome of the architecture at this point; with scenarios, the combined outcome of all of them. No constraint is
/// checked.
[[nodiscard]] models::Outcome evaluate_ignoring_constraints(Machine const& machine, models::Point point,
                                                            models::Fidelity fidelity);

/// The outcome of a machine at this point: infeasible if a constraint on parameters alone is not met, else as
/// evaluate_ignoring_constraints. Constraints on metrics are not checked.
[[nodiscard]] models::Outcome evaluate_machine(Machine const& machine, models::Point point, models::Fidelity fidelity);

}  // namespace pimdse::dse::space
