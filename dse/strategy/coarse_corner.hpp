#pragma once

#include "dse/ladder/corner.hpp"
#include "dse/task/answer.hpp"

#include <optional>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::strategy {

/// The best a point may come to at cycle level, by its analytic answer; nothing if it is infeasible at every level.
/// A point that only misses a condition on metrics may meet it at cycle level, unless its bounds prove the contrary;
/// one that failed may be anything.
[[nodiscard]] std::optional<ladder::Corner> coarse_corner(space::Space const& space, task::Answer const& analytic);

/// The same where the analytic answer is not at hand.
[[nodiscard]] std::optional<ladder::Corner> coarse_corner(space::Space const& space, task::PointId id);

}  // namespace pimdse::dse::strategy
