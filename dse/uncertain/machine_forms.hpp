#pragma once

#include "dse/uncertain/draws.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/pilot.hpp"
#include "dse/uncertain/polynomials.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace pimdse::dse::uncertain {

/// The forms of a machine's designs: which evaluations they take, when a design has one, and what it is in a draw.
class MachineForms {
  public:
    /// `movements`: of the machine. `is_allowed`: whether the machine's rules accept settings.
    MachineForms(space::Space const& space, Uncertainty const& uncertainty, Pilot const& pilot,
                 Movements const& movements, Draws const& draws,
                 std::function<bool(Settings const&)> const& is_allowed);

    /// Two draws, and both ends of all ranges, at which a form must agree with an evaluation. Empty if no constant
    /// changes a result of the machine, or if there are fewer draws.
    [[nodiscard]] std::vector<Settings> const& checks() const { return checks_; }
    /// Those that determine a form, then the checks. Empty if it takes fewer evaluations to evaluate the draws.
    [[nodiscard]] std::vector<Settings> const& settings() const { return settings_; }

    /// The form of a design with these objectives under nominal constants and under each of settings(); nullopt if it
    /// is infeasible in one of them, or if the form disagrees with a check.
    [[nodiscard]] std::optional<DesignForm> form(std::vector<double> const& nominal,
                                                 std::vector<MaybeObjectives> const& results) const;
    /// The form of a design that no constant changes.
    [[nodiscard]] static DesignForm constant(std::vector<double> nominal);
    /// The objectives of a design in a draw.
    [[nodiscard]] std::vector<double> at(DesignForm const& form, std::size_t draw) const;

  private:
    [[nodiscard]] DrawnValues values_with(Settings const& settings) const;

    std::vector<UncertainConstant> const& constants_;
    std::optional<FormPlan> const& plan_;
    std::vector<Settings> checks_, settings_;
    std::vector<std::vector<double>> differences_;  ///< of the variables, by draw
};

}  // namespace pimdse::dse::uncertain
