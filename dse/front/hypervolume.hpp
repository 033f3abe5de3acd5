#pragma once

#include "models/contract/architecture.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace pimdse::dse::front {

/// The volume of objective space that a set dominates, up to `reference`; exact for 1 to 6 objectives, all minimised.
/// `points` has one vector of reference.size() values after the other. Points that do not improve on the reference in
/// every objective, or hold a NaN, count nothing. The order of points and the presence of dominated ones change at most
/// the last bits.
[[nodiscard]] double hypervolume(std::span<double const> points, std::span<double const> reference);

/// What `point` alone would add to the hypervolume of `points`.
[[nodiscard]] double exclusive_hypervolume(std::span<double const> point, std::span<double const> points,
                                           std::span<double const> reference);

/// A box in objective space that makes vectors comparable: every objective becomes 0 at its best and 1 at its worst.
struct ObjectiveBox {
    std::vector<models::Sense> senses;
    std::vector<double> ideal;      ///< the best value of each objective
    std::vector<double> reference;  ///< the worst value of each objective: the fixed reference point

    /// The smallest box around vectors that are offered one by one; start from an empty one.
    static ObjectiveBox around_nothing(std::vector<models::Sense> senses);
    /// Grows the box; a vector with a value that is not finite is ignored.
    void include(std::span<double const> values);
    /// Into [0, 1] per objective, minimised; an objective without extent becomes 0.
    void normalise(std::span<double const> values, std::span<double> into) const;
};

/// The share of the box that a set dominates, 0 to 1. `points` in the orientation of the objectives, one vector after
/// the other.
[[nodiscard]] double dominated_share(std::span<double const> points, ObjectiveBox const& box);

}  // namespace pimdse::dse::front
