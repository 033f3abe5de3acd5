#pragma once

#include "dse/explain/landscape.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::explain {

/// How far one objective may go, all else equal, before a point leaves the front, or has to go before it is on it.
struct Turn {
    task::PointId by{};  ///< the point that is as good in everything else
    double at = 0.0;     ///< what it has here, as its metric
    double share = 0.0;  ///< of the point's own value: how much it may lose (on the front) or has to gain
};

/// Where a point is among the answered points of its fidelity.
struct PointStanding {
    bool on_front = false;
    std::vector<task::PointId> witnesses;    ///< members of the front that cover it, the one farthest ahead first
    std::uint64_t covers = 0;                ///< answered points that are better than it in nothing
    std::vector<task::PointId> rivals;       ///< other members of the front, the nearest first; at most five
    std::vector<std::optional<Turn>> turns;  ///< per objective; nothing: no other point is as good in all the others
    /// By which share of its values it has to gain in every objective at once to be covered by nobody; negative: by how
    /// much it may lose. Nothing where there is no other point.
    std::optional<double> behind;
};

/// A point with these values (a vector of the landscape) among all other points; it need not be one of them.
[[nodiscard]] PointStanding standing_of(Landscape const& landscape, task::PointId point,
                                        std::span<double const> vector);

}  // namespace pimdse::dse::explain
