#pragma once

#include "dse/uncertain/uncertainty.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace pimdse::dse::uncertain {

/// DrawnValues of all uncertain constants, in the order of Uncertainty::constants [SI].
using DrawnValues = std::vector<double>;

struct Draws {
    std::vector<DrawnValues> values;  ///< one per draw
    std::uint64_t refused = 0;        ///< values of the constants of a machine that its rules do not allow
};

/// The sentences of the rules by which a machine that reads the constants in `group` refuses the values; each names the
/// constants of its rule.
using RuleRefusal =
    std::function<std::vector<std::string>(std::vector<std::size_t> const& group, DrawnValues const& values)>;

/// Common random numbers: the points of a scrambled Sobol sequence, one coordinate per constant and one per group of
/// correlated constants. They depend on the seed and the constants only. If a rule of an architecture refuses values,
/// the constants of this rule, and those that other rules or correlations tie to them, take the next point of the
/// sequence, whatever the others do, so that each is distributed as stated under its rules; if that does not help, all
/// constants do. Throws InputError if rules refuse nearly all.
[[nodiscard]] Draws draws_of(Uncertainty const& uncertainty, RuleRefusal const& refusal);

/// All constants at these values.
[[nodiscard]] Settings settings_of(DrawnValues const& values);

}  // namespace pimdse::dse::uncertain
