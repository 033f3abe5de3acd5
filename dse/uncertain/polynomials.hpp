#pragma once

#include "dse/uncertain/movements.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::dse::uncertain {

/// Objectives of a design as sums of a constant part, a part linear in each variable, and a part for products of some
/// of them, all around the nominal values: an energy is the sum of counts times energies, some of them scaled by a
/// share.
class MultilinearForm {
  public:
    /// Products: positions of two or more variables each, those of fewer first.
    using Terms = std::vector<std::vector<std::size_t>>;

    /// `base`: the objectives with nominal constants; `singles`: with one variable changed by its entry in `changes`;
    /// `several`: with all variables of a term changed by theirs.
    MultilinearForm(std::vector<double> base, std::vector<std::vector<double>> const& singles,
                    std::vector<std::vector<double>> const& several, std::vector<double> const& changes,
                    Terms const& terms);

    /// The objectives if each variable differs from its nominal value by this much. `terms`: those of the constructor.
    [[nodiscard]] std::vector<double> at(std::vector<double> const& differences, Terms const& terms) const;

  private:
    std::vector<double> base_;
    std::vector<double> slopes_;  ///< by variable, then by objective; then those of terms
    std::size_t variables_ = 0;
};

/// Which evaluations determine the forms of a machine's designs. A variable is a constant, or the reciprocal of one by
/// which something is divided (an efficiency). Constants that move different objectives are changed in the same
/// evaluation.
class FormPlan {
  public:
    /// `moved`: by the constants that are variables. `terms`: of them, by position. `reciprocal`: by position.
    FormPlan(std::vector<UncertainConstant> const& constants, Movements moved, MultilinearForm::Terms terms,
             std::vector<bool> reciprocal);

    [[nodiscard]] std::vector<Settings> const& settings() const { return settings_; }
    /// From the objectives with nominal constants and those under each of the settings.
    [[nodiscard]] MultilinearForm form(std::vector<double> const& nominal,
                                       std::span<std::vector<double> const> results) const;
    /// Of the variables, if the constants have these values (of all constants of the space).
    [[nodiscard]] std::vector<double> differences(std::vector<double> const& values) const;
    [[nodiscard]] MultilinearForm::Terms const& terms() const { return terms_; }

  private:
    /// One variable, or those of a term, that are changed.
    struct Probe {
        std::vector<std::size_t> variables;
        std::uint64_t objectives = 0;  ///< that they move, as bits
        std::size_t setting = 0;
    };
    [[nodiscard]] Probe probe_of(std::vector<std::size_t> variables) const;
    void add(Probe probe);
    [[nodiscard]] double difference(std::size_t variable, double value) const;
    [[nodiscard]] std::vector<double> seen(Probe const& probe, std::vector<double> const& nominal,
                                           std::span<std::vector<double> const> results) const;

    std::vector<std::size_t> constants_;  ///< by variable
    std::vector<double> nominal_, far_;   ///< values of the constants
    std::vector<bool> reciprocal_;
    std::vector<std::uint64_t> objectives_;  ///< that a variable moves, as bits
    MultilinearForm::Terms terms_;
    std::vector<Probe> probes_;  ///< of the variables, then of the terms
    std::vector<Settings> settings_;
    std::vector<std::uint64_t> used_;  ///< by setting: objectives that are moved in it
};

/// Whether two lists of objectives are equal within 1e-9 of themselves.
[[nodiscard]] bool equal_within(std::vector<double> const& a, std::vector<double> const& b);

/// The value of a constant with which its slope is determined: the end that is farther from the nominal value.
[[nodiscard]] double far_end(UncertainConstant const& constant);

}  // namespace pimdse::dse::uncertain
