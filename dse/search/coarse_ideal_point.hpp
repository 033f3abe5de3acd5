#pragma once

#include "dse/search/ideal_point.hpp"
#include "dse/space/result.hpp"

#include <optional>
#include <string>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::search {

/// The best a point may come to at cycle level, by its analytic answer; nothing if it is infeasible at every level.
/// A point that only misses a condition on metrics may meet it at cycle level, unless its bounds prove the contrary;
/// one that failed may be anything.
[[nodiscard]] std::optional<IdealPoint> coarse_ideal_point(space::Space const& space, space::Result const& analytic);

/// The same where the analytic answer is not at hand.
[[nodiscard]] std::optional<IdealPoint> coarse_ideal_point(space::Space const& space, space::PointId id);

/// Why two points with equal cycle keys cannot have one cycle-level result: a metric whose proved analytic intervals do
/// not meet. Where both are exact, they must be equal bit for bit. Compares all metrics, not only objectives; evaluates
/// both points at analytic fidelity. None where the intervals meet, or where a point has no analytic metrics.
[[nodiscard]] std::optional<std::string> difference_of_equal_keys(space::Space const& space, space::PointId a,
                                                                  space::PointId b);

}  // namespace pimdse::dse::search
