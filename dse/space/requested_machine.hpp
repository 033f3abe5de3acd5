#pragma once

#include "dse/space/machine.hpp"
#include "models/contract/architecture.hpp"

namespace pimdse::dse::space {

/// What the architecture answers, one of those in all scenarios where there are some. No condition is looked at.
[[nodiscard]] models::Outcome asked_anyway(Machine const& machine, models::Point point, models::Fidelity fidelity);

/// What a machine answers: infeasible where a condition on parameters is not met, else as asked_anyway. Conditions on
/// metrics are not looked at.
[[nodiscard]] models::Outcome requested(Machine const& machine, models::Point point, models::Fidelity fidelity);

}  // namespace pimdse::dse::space
