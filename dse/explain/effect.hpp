#pragma once

#include "dse/explain/change.hpp"
#include "dse/explain/landscape.hpp"

#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::explain {

/// What a change comes to among the answered points.
struct Effect {
    Change change;
    task::Answer answer;
    bool remembered = false;  ///< the result had the answer; else it was evaluated now
    /// Of feasible ones:
    std::vector<double> vector;    ///< in the landscape
    std::uint64_t covered_by = 0;  ///< members of the front
    std::optional<double> behind;  ///< as PointStanding::behind, of the front only
    double distance = 0.0;         ///< shares by which the nearest member of the front is ahead, added up; 0 or more
    [[nodiscard]] bool feasible() const { return !vector.empty(); }
};

[[nodiscard]] Effect effect_of(Landscape const& landscape, Change const& change, task::Answer answer, bool remembered);

/// Of each parameter the change that comes nearest to the front or farthest before it, of those that are equally far in
/// every objective at once the one with the least distance; one that is infeasible where none is feasible. `effects`:
/// by parameter.
[[nodiscard]] std::vector<std::size_t> best_of_each_parameter(std::span<Effect const> effects);

/// The change that gains most in an objective against this vector; nothing where none gains.
[[nodiscard]] std::optional<std::size_t> most_gain(std::span<Effect const> effects, std::size_t objective,
                                                   std::span<double const> than);

}  // namespace pimdse::dse::explain
