#pragma once

#include "dse/uncertain/draws.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace pimdse::dse::uncertain {

/// How an objective moves as a constant grows. `none`: it does not move.
enum class Movement : std::uint8_t { none, up, down, unknown };

/// What evaluations of a few designs of a machine, at both ends of every constant and in a few draws, tell about all.
/// None of it is proved; what is concluded from it is checked design by design or said to rest on it.
struct Pilot {
    std::vector<std::size_t> effective;  ///< constants that change a result, ascending
    /// By position in `effective`, then by objective; the last entry is feasibility (up: a larger value may make a
    /// design infeasible).
    std::vector<std::vector<Movement>> movements;
    /// Whether every objective was a linear function of the constants within 1e-9.
    bool linear = false;

    /// Whether each objective moves in a known direction with every constant, so that its extremes are at ends.
    [[nodiscard]] bool has_ends() const;
};

/// Evaluates the designs (points of the machine at this position) under the settings that a Pilot needs.
[[nodiscard]] Pilot pilot_of(space::Space const& space, std::size_t machine, Uncertainty const& uncertainty,
                             Draws const& draws, std::vector<std::vector<models::Value>> const& designs,
                             models::Fidelity fidelity);

/// Relative difference up to which a value counts as predicted by a linear form.
inline constexpr double linear_within = 1e-9;

/// Objectives of a design as linear functions of constants around their nominal values.
class LinearForm {
  public:
    /// `base`: the objectives with nominal constants; `singles`: with one constant of `effective` changed to a value.
    LinearForm(std::vector<double> base, std::vector<std::vector<double>> const& singles,
               std::vector<double> const& changes);

    /// The objectives if each constant differs from its nominal value by this much.
    [[nodiscard]] std::vector<double> at(std::vector<double> const& differences) const;

  private:
    std::vector<double> base_;
    std::vector<std::vector<double>> slopes_;  ///< by constant, then objective
};

/// Whether two lists of objectives are equal within linear_within.
[[nodiscard]] bool equal_within(std::vector<double> const& a, std::vector<double> const& b);

/// The value of a constant with which its slope is determined: the end that is farther from the nominal value.
[[nodiscard]] double far_end(UncertainConstant const& constant);

}  // namespace pimdse::dse::uncertain
