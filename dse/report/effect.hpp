#pragma once

#include "dse/report/standing.hpp"
#include "dse/space/result.hpp"
#include "dse/space/space.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::report {

/// A point with one parameter changed.
struct Change {
    std::size_t parameter = 0;  ///< of its machine
    models::Value from, to;
    space::PointId point{};
};

struct Changes {
    std::vector<Change> list;    ///< by parameter, then by value
    std::uint64_t left_out = 0;  ///< choices beyond 64 of a parameter
};

/// The changes by one step that the space has: a number to the next smaller and the next larger of its values, a choice
/// or flag to every other one, an ordering by exchanging two neighbours. What scenarios decide stays.
[[nodiscard]] Changes changes_of(space::Space const& space, space::PointId point);

/// What a change comes to among the answered points.
struct Effect {
    Change change;
    space::Result result;
    bool restored = false;  ///< the result had the answer; else it was evaluated now
    /// Of feasible ones:
    std::vector<double> vector;      ///< in the front_view
    std::uint64_t dominated_by = 0;  ///< members of the front
    std::optional<double> behind;    ///< as PointStanding::behind, of the front only
    double distance = 0.0;           ///< shares by which the nearest member of the front is ahead, added up; 0 or more
    [[nodiscard]] bool feasible() const { return !vector.empty(); }
};

[[nodiscard]] Effect effect_of(FrontView const& front_view, Change const& change, space::Result result, bool restored);

/// Of each parameter the change that comes nearest to the front or farthest before it, of those that are equally far in
/// every objective at once the one with the least distance; one that is infeasible where none is feasible. `effects`:
/// by parameter.
[[nodiscard]] std::vector<std::size_t> best_of_each_parameter(std::span<Effect const> effects);

/// The change that gains most in an objective against this vector; nothing where none gains.
[[nodiscard]] std::optional<std::size_t> max_gain(std::span<Effect const> effects, std::size_t objective,
                                                  std::span<double const> than);

}  // namespace pimdse::dse::report
