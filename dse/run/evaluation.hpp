#pragma once

#include "dse/space/result.hpp"
#include "dse/space/space.hpp"

#include <cstddef>
#include <vector>

namespace pimdse::dse::run {

/// Answers one task: constraints on parameters, the architecture, constraints on metrics, and objectives that must be
/// finite. Never throws for what a point does; a bug of the model comes back as Defect. Thread-safe; pure but for
/// `seconds`.
[[nodiscard]] space::Result result(space::Space const& space, space::Task task);

/// The same outcome for a point of one of its machines that need not be in the space (verb `evaluate`).
[[nodiscard]] models::Outcome outcome_of(space::Space const& space, std::size_t machine, models::Point point,
                                         models::Fidelity fidelity);

/// The answers of some tasks, in their order, by so many threads; for few of them, which are kept nowhere.
[[nodiscard]] std::vector<space::Result> results_of(space::Space const& space, std::vector<space::Task> const& tasks,
                                                    int threads);

/// The same of points of a machine, which need not be in a space; conditions on metrics are not looked at.
[[nodiscard]] std::vector<models::Outcome> outcomes_of(space::Machine const& machine,
                                                       std::vector<std::vector<models::Value>> const& points,
                                                       models::Fidelity fidelity, int threads);

}  // namespace pimdse::dse::run
