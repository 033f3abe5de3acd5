#pragma once

#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace pimdse::dse::uncertain {

/// The objectives of a design if one constant is at an end of its range.
struct TornadoRow {
    std::size_t constant = 0;
    MaybeObjectives at_lower, at_upper;
};

/// A value of one constant at which a design leaves the front.
struct Departure {
    std::size_t constant = 0;
    double value = 0.0;                          ///< SI; found by bisection, and evaluated
    double factor = 1.0;                         ///< the value over the nominal one, or the other way round: above 1
    std::optional<space::PointId> dominated_by;  ///< nullopt: the design is infeasible there
};

/// What would have to be otherwise for a design to leave the front.
struct PointStudy {
    std::vector<double> nominal;      ///< objectives; empty if the design is infeasible
    std::vector<TornadoRow> tornado;  ///< effective constants, the largest effect on an objective first
    /// None for a design that is not on the front as assumed.
    std::vector<Departure> departures;  ///< by factor: the smallest change first; at most one per constant and end
};

/// Sets each effective constant alone to its ends. `rivals`: designs that may dominate the point there.
[[nodiscard]] PointStudy study_point(space::Space const& space, std::vector<UncertainConstant> const& constants,
                                     std::vector<bool> const& effective, std::vector<space::PointId> rivals,
                                     space::PointId point, models::Fidelity fidelity);

/// The constants of a result file with their bindings to the machines of the space. Throws InputError if the space has
/// no such constant.
[[nodiscard]] std::vector<UncertainConstant> bound_again(space::Space const& space,
                                                         std::vector<UncertainConstant> constants);

}  // namespace pimdse::dse::uncertain
