#pragma once

#include "dse/search/ideal_point.hpp"
#include "dse/space/result.hpp"

#include <optional>
#include <string>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::search {

/// The ideal point (best possible objectives at cycle level) of a point, from its analytic result; nullopt if it is
/// infeasible at every level. A point that only violates a condition on metrics may meet it at cycle level, unless its
/// bounds prove the contrary, and one of which no request is good may have good ones there; a point that failed may
/// have any result.
[[nodiscard]] std::optional<IdealPoint> coarse_ideal_point(space::Space const& space, space::Result const& analytic);

/// The same, evaluating the point at analytic fidelity.
[[nodiscard]] std::optional<IdealPoint> coarse_ideal_point(space::Space const& space, space::PointId id);

/// The reason why two points with equal cycle keys cannot have the same cycle-level result: a metric whose proved
/// analytic intervals do not overlap; where both are exact, they must be equal bit for bit. Compares all metrics and
/// not only objectives; evaluates both points at analytic fidelity. nullopt if all intervals overlap, or if a point has
/// no analytic metrics.
[[nodiscard]] std::optional<std::string> difference_of_equal_keys(space::Space const& space, space::PointId a,
                                                                  space::PointId b);

}  // namespace pimdse::dse::search
