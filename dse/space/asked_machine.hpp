#pragma once

#include "dse/space/machine.hpp"
#include "models/contract/architecture.hpp"

namespace pimdse::dse::space {

/// What a machine answers: infeasible where a condition on parameters is not met, else the architecture's answer, made
/// one of those in all scenarios where there are some. Conditions on metrics are not looked at.
[[nodiscard]] models::Outcome asked(Machine const& machine, models::Point point, models::Fidelity fidelity);

}  // namespace pimdse::dse::space
