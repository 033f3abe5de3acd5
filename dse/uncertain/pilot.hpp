#pragma once

#include "dse/uncertain/design_set.hpp"
#include "dse/uncertain/draws.hpp"
#include "dse/uncertain/ends.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/polynomials.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace pimdse::dse::uncertain {

/// Result of evaluating a few designs of a machine with every constant at both ends of its range and in a few draws.
/// It suggests how all designs behave, and proves nothing: conclusions are checked per design, or say that they rest on
/// it.
struct Pilot {
    Movements seen;  ///< of the constants that changed a result
    /// Plan for the polynomials of the designs, if those of some designs match their objectives in draws to 1e-9.
    std::optional<FormPlan> plan{};
    double predicted = 0.0;  ///< share of the feasible pilot designs whose polynomials match

    [[nodiscard]] std::vector<std::size_t> const& effective() const { return seen.constants; }
};

/// Evaluates the designs (points of the machine at this position) under the settings that a Pilot needs. Has no plan
/// where finding and using one would take as many evaluations as `to_draw` designs in all draws.
[[nodiscard]] Pilot pilot_of(space::Space const& space, std::size_t machine, Uncertainty const& uncertainty,
                             Draws const& draws, std::vector<std::vector<models::Value>> const& designs,
                             std::size_t to_draw, KnownResults& known);

}  // namespace pimdse::dse::uncertain
