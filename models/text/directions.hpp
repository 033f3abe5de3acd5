#pragma once

#include "models/contract/proofs.hpp"
#include "models/text/prepared.hpp"

#include <string>
#include <vector>

namespace pimdse::models::text {

/// Directions of lower bounds of times, energy and area that follow from the signs of the machine's expressions.
[[nodiscard]] std::vector<MonotoneLowerBound> monotone_lower_bounds_of(Prepared const& prepared);

/// Constants of which the dimension does not tell how they move metrics: a number of another kind reads them, or one
/// that does not grow with them, or a limit.
[[nodiscard]] std::vector<std::string> constants_without_slopes_of(Prepared const& prepared);

}  // namespace pimdse::models::text
