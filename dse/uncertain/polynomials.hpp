#pragma once

#include "dse/uncertain/ends.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// How a constant becomes a variable of a form: as it is, as its reciprocal (something is divided by an efficiency), or
/// as a power whose exponent each design has for itself (energies that are interpolated between sizes of memories).
enum class VariableKind : std::uint8_t { constant, reciprocal, power };

/// The form of a design, with the exponents of its powers.
struct DesignForm {
    MultilinearForm polynomial;
    std::vector<double> exponents;  ///< by variable of the kind `power`
};

/// Which evaluations determine the forms of a machine's designs. Constants that move different objectives are changed
/// in the same evaluation.
class FormPlan {
  public:
    /// `moved`: by the constants that are variables. `terms`: of them, by position. `kinds`: by position; the range of
    /// a power is positive and has both ends apart from its nominal value.
    FormPlan(std::vector<UncertainConstant> const& constants, Movements moved, MultilinearForm::Terms terms,
             std::vector<VariableKind> kinds);

    [[nodiscard]] std::vector<Settings> const& settings() const { return settings_; }
    /// From the objectives with nominal constants and those under each of the settings; nullopt if an objective is no
    /// power of a constant that should be one.
    [[nodiscard]] std::optional<DesignForm> form(std::vector<double> const& nominal,
                                                 std::span<std::vector<double> const> results) const;
    /// Of the variables, if the constants have these values (of all constants of the space); of a power, the logarithm
    /// of the ratio to the nominal value.
    [[nodiscard]] std::vector<double> differences(std::vector<double> const& values) const;
    /// The objectives of a design with these differences.
    [[nodiscard]] std::vector<double> at(DesignForm const& form, std::vector<double> const& differences) const;

  private:
    /// One variable, or those of a term, that are changed.
    struct Probe {
        std::vector<std::size_t> variables;
        std::uint64_t objectives = 0;  ///< that they move, as bits
        std::size_t setting = 0;
    };
    void add(std::vector<Probe>& probes, std::vector<std::size_t> variables, std::vector<double> const& values);
    [[nodiscard]] double difference(std::size_t variable, double value) const;
    [[nodiscard]] std::vector<double> seen(Probe const& probe, std::vector<double> const& nominal,
                                           std::span<std::vector<double> const> results) const;
    [[nodiscard]] std::optional<double> exponent(std::size_t power, std::vector<double> const& nominal,
                                                 std::span<std::vector<double> const> results) const;
    void raise(std::vector<double>& differences, std::vector<double> const& exponents) const;

    std::vector<std::size_t> constants_;        ///< by variable
    std::vector<double> nominal_, far_, near_;  ///< values of the constants; `near_`: the other end
    std::vector<VariableKind> kinds_;
    std::vector<std::size_t> powers_;        ///< variables of this kind
    std::vector<std::uint64_t> objectives_;  ///< that a variable moves, as bits
    MultilinearForm::Terms terms_;
    std::vector<Probe> at_far_;   ///< by variable
    std::vector<Probe> at_near_;  ///< by power
    std::vector<Probe> of_terms_;
    std::vector<Settings> settings_;
    std::vector<std::uint64_t> used_;  ///< by setting: objectives that are moved in it
};

/// Whether two lists of objectives are equal within 1e-9 of themselves.
[[nodiscard]] bool equal_within(std::vector<double> const& a, std::vector<double> const& b);

/// The exponent e with which x^e changes from 1 to the ends of a range in this ratio: (upper^e - 1) / (1 - lower^e),
/// for the ends as multiples of the nominal value; nullopt if it is not between -16 and 16.
[[nodiscard]] std::optional<double> exponent_from(double ratio, double lower, double upper);

/// The value of a constant with which its slope is determined: the end that is farther from the nominal value.
[[nodiscard]] double far_end(UncertainConstant const& constant);

}  // namespace pimdse::dse::uncertain
