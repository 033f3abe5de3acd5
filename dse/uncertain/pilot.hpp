#pragma once

#include "dse/uncertain/draws.hpp"
#include "dse/uncertain/movements.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace pimdse::dse::uncertain {

/// What evaluations of a few designs of a machine, at both ends of every constant and in a few draws, tell about all.
/// None of it is proved; what is concluded from it is checked design by design or said to rest on it.
struct Pilot {
    Movements seen;  ///< of the constants that changed a result
    /// Whether every objective was a polynomial of the constants within 1e-9, as a MultilinearForm with these pairs.
    bool multilinear = false;
    /// Constants whose product enters an objective, positions in `seen.constants`.
    std::vector<std::pair<std::size_t, std::size_t>> pairs{};

    [[nodiscard]] std::vector<std::size_t> const& effective() const { return seen.constants; }
};

/// Evaluates the designs (points of the machine at this position) under the settings that a Pilot needs.
[[nodiscard]] Pilot pilot_of(space::Space const& space, std::size_t machine, Uncertainty const& uncertainty,
                             Draws const& draws, std::vector<std::vector<models::Value>> const& designs,
                             models::Fidelity fidelity);

/// Objectives of a design as sums of a constant part, a part linear in each constant, and a part for products of pairs,
/// all around the nominal values: an energy is the sum of counts times energies, some of them scaled by a share.
class MultilinearForm {
  public:
    using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;  ///< positions of constants

    /// `base`: the objectives with nominal constants; `singles`: with one constant changed by its entry in `changes`;
    /// `doubles`: with both constants of a pair changed by theirs.
    MultilinearForm(std::vector<double> base, std::vector<std::vector<double>> const& singles,
                    std::vector<std::vector<double>> const& doubles, std::vector<double> const& changes,
                    Pairs const& pairs);

    /// The objectives if each constant differs from its nominal value by this much. `pairs`: those of the constructor.
    [[nodiscard]] std::vector<double> at(std::vector<double> const& differences, Pairs const& pairs) const;

  private:
    std::vector<double> base_;
    std::vector<double> slopes_;  ///< by constant, then by objective; then those of pairs
    std::size_t constants_ = 0;
};

/// Whether two lists of objectives are equal within 1e-9 of themselves.
[[nodiscard]] bool equal_within(std::vector<double> const& a, std::vector<double> const& b);

/// The value of a constant with which its slope is determined: the end that is farther from the nominal value.
[[nodiscard]] double far_end(UncertainConstant const& constant);

}  // namespace pimdse::dse::uncertain
