#pragma once

#include "dse/space/space.hpp"
#include "dse/task/answer.hpp"

#include <vector>

namespace pimdse::dse::evaluate {

/// The answers of some tasks, in their order, by so many threads; for few of them, which are kept nowhere.
[[nodiscard]] std::vector<task::Answer> answers_of(space::Space const& space, std::vector<task::Task> const& tasks,
                                                   int threads);

/// The same of points of a machine, which need not be in a space; conditions on metrics are not looked at.
[[nodiscard]] std::vector<models::Outcome> outcomes_of(space::Machine const& machine,
                                                       std::vector<std::vector<models::Value>> const& points,
                                                       models::Fidelity fidelity, int threads);

}  // namespace pimdse::dse::evaluate
