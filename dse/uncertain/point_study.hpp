#pragma once

#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <vector>

namespace pimdse::dse::uncertain {

using search::Departure;
using search::PointStudy;
using search::TornadoRow;

/// Sets each effective constant alone to its ends. `rivals`: designs that may dominate the point there.
[[nodiscard]] PointStudy study_point(space::Space const& space, std::vector<UncertainConstant> const& constants,
                                     std::vector<bool> const& effective, std::vector<space::PointId> rivals,
                                     space::PointId point, models::Fidelity fidelity);

/// The constants of a result file with their bindings to the machines of the space. Throws InputError if the space has
/// no such constant.
[[nodiscard]] std::vector<UncertainConstant> bound_again(space::Space const& space,
                                                         std::vector<UncertainConstant> constants);

}  // namespace pimdse::dse::uncertain
