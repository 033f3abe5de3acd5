#pragma once

#include <string>
#include <string_view>

namespace pimdse::models {

/// The largest number, in SI, that any machine may have: products of a few such numbers are finite.
[[nodiscard]] double max_magnitude();

/// Why no machine has this number, in SI, of a unit: "1e+308 s is beyond what a time can be (0, or 1e-30 to 1e+12 s)";
/// "" if one may.
[[nodiscard]] std::string beyond_magnitudes(double si, std::string_view unit);

}  // namespace pimdse::models
