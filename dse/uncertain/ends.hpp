#pragma once

#include "dse/search/archive.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/pilot.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::uncertain {

/// The settings at which the objectives of a machine's designs are best and worst within the ranges of its constants.
struct EndSettings {
    std::vector<Settings> settings;                     ///< of the pass "ends"
    std::vector<std::size_t> best, worst;               ///< by objective: position in `settings`
    std::size_t best_feasible = 0, worst_feasible = 0;  ///< where most and fewest designs are feasible
};

/// Precondition: pilot.has_ends().
[[nodiscard]] EndSettings ends_of(space::Space const& space, std::vector<UncertainConstant> const& constants,
                                  Pilot const& pilot);

/// Between which values the objectives of a design lie, whatever the constants are.
struct Extent {
    space::PointId point{};
    std::vector<double> best;                  ///< by objective
    std::optional<std::vector<double>> worst;  ///< nullopt: infeasible under some constants
};

/// The extent of a design from its results under the end settings; nullopt if it is infeasible under all constants.
[[nodiscard]] std::optional<Extent> extent_of(space::PointId point, std::vector<ObjectiveValues> const& results,
                                              EndSettings const& ends);

/// Which designs may be on the front for some constants, and which are for all of them.
struct Standing {
    bool possible = true;
    bool certain = false;
};

/// Possible: no other design's worst objectives dominate the best of this one. Certain: no other design's best
/// objectives dominate the worst of this one. One entry per extent. `complete`: there is an extent for every design of
/// the space that may be feasible; otherwise none is certain.
[[nodiscard]] std::vector<Standing> standings_of(std::span<Extent const> extents,
                                                 std::vector<models::Sense> const& senses, bool complete);

}  // namespace pimdse::dse::uncertain
