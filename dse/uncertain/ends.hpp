#pragma once

#include "dse/uncertain/movements.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::uncertain {

/// Settings at which every objective of a machine's designs is best (or worst) within the ranges of its constants.
struct EndSettings {
    std::vector<Settings> settings;
    std::vector<std::size_t> of_objective;  ///< by objective: position in `settings`
    std::size_t of_feasibility = 0;         ///< where most (or fewest) designs are feasible
};
enum class RangeEnd : std::uint8_t { best, worst };

/// Precondition: movements.has_ends().
[[nodiscard]] EndSettings ends_of(space::Space const& space, std::vector<UncertainConstant> const& constants,
                                  Movements const& movements, RangeEnd end);

/// Settings at which objectives and feasibility are at either extreme as far as directions are known: a step that moves
/// in the same directions is crossed at one of them if it is crossed anywhere.
[[nodiscard]] std::vector<Settings> both_ends_of(space::Space const& space,
                                                 std::vector<UncertainConstant> const& constants, Movements movements);

/// Between which values the objectives of a design lie, whatever the constants are.
struct Extent {
    space::PointId point{};
    std::vector<double> best;                  ///< by objective; NaN: unknown
    std::optional<std::vector<double>> worst;  ///< nullopt: unknown, or infeasible under some constants
};

/// The best objectives of a design from its results under the settings of RangeEnd::best; nullopt if it is infeasible
/// under all constants.
[[nodiscard]] std::optional<std::vector<double>> best_of(std::vector<MaybeObjectives> const& results,
                                                         EndSettings const& ends);
/// The worst ones from its results under the settings of RangeEnd::worst; nullopt if it is infeasible under some
/// constants.
[[nodiscard]] std::optional<std::vector<double>> worst_of(std::vector<MaybeObjectives> const& results,
                                                          EndSettings const& ends);

/// Which designs may be on the front for some constants, and which are for all of them.
struct RangeStanding {
    bool possible = true;
    bool certain = false;
};

/// Possible: no other design's worst objectives dominate the best of this one. Certain: no other design's best
/// objectives dominate the worst of this one. One entry per extent. `complete`: there is an extent for every design of
/// the space that may be feasible; otherwise none is certain.
[[nodiscard]] std::vector<RangeStanding> standings_of(std::span<Extent const> extents,
                                                      std::vector<models::Sense> const& senses, bool complete);

}  // namespace pimdse::dse::uncertain
