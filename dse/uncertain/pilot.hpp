#pragma once

#include "dse/uncertain/draws.hpp"
#include "dse/uncertain/known_results.hpp"
#include "dse/uncertain/movements.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/polynomials.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace pimdse::dse::uncertain {

/// What evaluations of a few designs of a machine, at both ends of every constant and in a few draws, tell about all.
/// None of it is proved; what is concluded from it is checked design by design or said to rest on it.
struct Pilot {
    Movements seen;  ///< of the constants that changed a result
    /// How forms of the designs are found, if those of some designs gave their objectives in draws within 1e-9.
    std::optional<FormPlan> plan{};
    double predicted = 0.0;  ///< share of the feasible designs for which they did

    [[nodiscard]] std::vector<std::size_t> const& effective() const { return seen.constants; }
};

/// Evaluates the designs (points of the machine at this position) under the settings that a Pilot needs. Has no plan
/// where finding and using one would take as many evaluations as `to_draw` designs in all draws.
[[nodiscard]] Pilot pilot_of(space::Space const& space, std::size_t machine, Uncertainty const& uncertainty,
                             Draws const& draws, std::vector<std::vector<models::Value>> const& designs,
                             std::size_t to_draw, KnownResults& known);

}  // namespace pimdse::dse::uncertain
