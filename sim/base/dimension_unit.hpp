#pragma once

#include "sim/base/quantity_text.hpp"

#include <string>

namespace pimdse::sim {

/// A unit for it, as one would write it: "s", "B/s", "Hz or 1/s", "1/J"; "1" of a plain number.
[[nodiscard]] std::string unit_of(Dimension dimension);

}  // namespace pimdse::sim
