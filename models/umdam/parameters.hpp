#pragma once

#include "models/umdam/design.hpp"

namespace pimdse::models::umdam {

/// The table of parameters: names, units, defaults and meanings of the public contract.
[[nodiscard]] Parameters parameters();

/// Reads a point by position.
[[nodiscard]] Design read_design(Point point);

}  // namespace pimdse::models::umdam
