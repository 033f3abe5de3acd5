#pragma once

#include "dse/space/result.hpp"
#include "dse/space/space.hpp"

#include <cstddef>
#include <vector>

namespace pimdse::dse::run {

/// Evaluates one task: checks the constraints on parameters, calls the architecture, checks the constraints on metrics
/// and that all objectives are finite. Does not throw because of a point; a bug of the model is returned as a Defect.
/// Thread-safe; pure except for `seconds`.
[[nodiscard]] space::Result evaluate(space::Space const& space, space::Task task);

/// The outcome of a point of one machine of the space; the point need not be in the space (verb `evaluate`).
[[nodiscard]] models::Outcome outcome_of(space::Space const& space, std::size_t machine, models::Point point,
                                         models::Fidelity fidelity);

/// The same with other constants: `machine` is the space's machine at this position in all else.
[[nodiscard]] models::Outcome outcome_of(space::Space const& space, std::size_t at, space::Machine const& machine,
                                         models::Point point, models::Fidelity fidelity);

/// Evaluates tasks on `threads` threads and returns the results in task order. Meant for few tasks, whose results are
/// not stored.
[[nodiscard]] std::vector<space::Result> results_of(space::Space const& space, std::vector<space::Task> const& tasks,
                                                    int threads);

/// The same for points of a machine, which need not be in a space; constraints on metrics are not checked.
[[nodiscard]] std::vector<models::Outcome> outcomes_of(space::Machine const& machine,
                                                       std::vector<std::vector<models::Value>> const& points,
                                                       models::Fidelity fidelity, int threads);

}  // namespace pimdse::dse::run
