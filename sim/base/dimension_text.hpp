#pragma once

#include "sim/base/quantity_text.hpp"

#include <string>
#include <string_view>

namespace pimdse::sim {

/// A unit for it, as one would write it: "s", "B/s", "Hz or 1/s", "1/J"; "1" of a plain number.
[[nodiscard]] std::string unit_of(Dimension dimension);

/// What a dimension measures, in a word for messages: "time", "bandwidth", "data", "energy", or "quantity in 1/J".
[[nodiscard]] std::string dimension_name(Dimension dimension);

/// The same in a sentence: "a time", "an energy", "data".
[[nodiscard]] std::string a_dimension(Dimension dimension);

/// Why quantities of two dimensions cannot be "compared", "added", ...
[[nodiscard]] std::string units_differ(Dimension a, Dimension b, std::string_view done);

}  // namespace pimdse::sim
