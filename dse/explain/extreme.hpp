#pragma once

#include "dse/explain/landscape.hpp"
#include "dse/space/space.hpp"

#include <cstddef>
#include <vector>

namespace pimdse::dse::explain {

/// A common metric that is no objective and in which a point is among the worst of its space, or far behind the front:
/// what a search does not look at it may have paid with.
struct Extreme {
    std::size_t metric = 0;  ///< of the space
    double value = 0.0;
    /// Share of the feasible points that are at least as bad, itself included, of those answered at this fidelity.
    double not_worse = 0.0;
    double times_best = 0.0;  ///< how many times as bad as the best on the front, in the sense of the metric
    double best = 0.0;        ///< that one's value
    task::PointId best_point{};
};

inline constexpr double worst_share = 0.03;     ///< of all points
inline constexpr double far_behind_front = 10;  ///< times the best on the front

/// Of a feasible point with these metrics, worst first. The store has the common metrics, and the point itself or not;
/// a metric that does not apply to the point, or of which neither more nor less is better, is none.
[[nodiscard]] std::vector<Extreme> extremes_of(space::Space const& space, answers::ResultStore const& store,
                                               Landscape const& landscape, task::PointId point,
                                               models::Metrics const& metrics);

}  // namespace pimdse::dse::explain
