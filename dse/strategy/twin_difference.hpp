#pragma once

#include "dse/task/answer.hpp"

#include <optional>
#include <string>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::strategy {

/// Why two points with equal cycle keys cannot have one cycle-level result: a metric whose proved analytic intervals do
/// not meet. Where both are exact, they must be equal bit for bit. Compares all metrics, not only objectives; evaluates
/// both points at analytic fidelity. None where the intervals meet, or where a point has no analytic metrics.
[[nodiscard]] std::optional<std::string> difference_of_twins(space::Space const& space, task::PointId a,
                                                             task::PointId b);

}  // namespace pimdse::dse::strategy
