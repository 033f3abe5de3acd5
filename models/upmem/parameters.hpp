#pragma once

#include "models/upmem/design.hpp"

namespace pimdse::models::upmem {

/// The table of parameters: names, units, defaults and meanings of the public contract.
[[nodiscard]] Parameters parameters();

/// `point` is in the order of parameters().
[[nodiscard]] Design read_design(Point point);

}  // namespace pimdse::models::upmem
