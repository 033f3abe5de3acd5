#pragma once

#include "dse/space/space.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/uncertainty.hpp"
#include "models/contract/constant_slopes.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::uncertain {

using models::ConstantSlope;
using models::Slope;

/// How the objectives of a machine's designs move with the constants that move any of them.
struct Movements {
    std::vector<std::size_t> constants;  ///< ascending
    /// By position in `constants`, then by objective; the last entry is feasibility (up: a larger value may make a
    /// design infeasible).
    std::vector<std::vector<ConstantSlope>> of_constant;

    /// Whether each objective moves in a known direction with every constant, so that its extremes are at ends.
    [[nodiscard]] bool has_ends() const;
};

/// What a machine states about its constants (models/contract/constant_slopes.hpp): it holds for all its designs and
/// all values.
struct StatedMovements {
    Movements movements;
    std::vector<std::size_t> unknown;  ///< constants about which it does not state everything
};
[[nodiscard]] StatedMovements stated_movements(space::Space const& space, std::size_t machine,
                                               std::vector<UncertainConstant> const& constants);

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
/// in the same directions is crossed at one of them if it is crossed anywhere. `others`: constants that moved nothing
/// in the designs that were tried, all at their upper or at their lower ends: a limit of power moves nothing until
/// other constants bring a design to it.
[[nodiscard]] std::vector<Settings> both_ends_of(space::Space const& space,
                                                 std::vector<UncertainConstant> const& constants, Movements movements,
                                                 std::vector<std::size_t> const& others = {});

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
