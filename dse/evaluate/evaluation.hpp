#pragma once

#include "dse/space/space.hpp"
#include "dse/task/answer.hpp"

#include <cstddef>

namespace pimdse::dse::evaluate {

/// Answers one task: constraints on parameters, the architecture, constraints on metrics, and objectives that must be
/// finite. Never throws for what a point does; a bug of the model comes back as Defect. Thread-safe; pure but for
/// `seconds`.
[[nodiscard]] task::Answer answer(space::Space const& space, task::Task task);

/// The same outcome for a point of one of its machines that need not be in the space (verb `evaluate`).
[[nodiscard]] models::Outcome outcome_of(space::Space const& space, std::size_t machine, models::Point point,
                                         models::Fidelity fidelity);

}  // namespace pimdse::dse::evaluate
