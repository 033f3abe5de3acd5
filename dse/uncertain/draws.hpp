#pragma once

#include "dse/uncertain/uncertainty.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace pimdse::dse::uncertain {

/// Values of all uncertain constants, in the order of Uncertainty::constants [SI].
using Values = std::vector<double>;

struct Draws {
    std::vector<Values> values;  ///< one per draw
    std::uint64_t refused = 0;   ///< further points of the sequence that the rules of a machine do not allow
};

/// Common random numbers: the points of a scrambled Sobol sequence, one coordinate per constant and one per group of
/// correlated constants. They depend on the seed and the constants only. Points that `allowed` refuses are skipped.
/// Throws InputError if it refuses nearly all.
[[nodiscard]] Draws draws_of(Uncertainty const& uncertainty, std::function<bool(Values const&)> const& allowed);

/// All constants at these values.
[[nodiscard]] Settings settings_of(Values const& values);

}  // namespace pimdse::dse::uncertain
