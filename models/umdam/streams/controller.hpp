#pragma once

#include "models/umdam/design.hpp"
#include "sim/dram/options.hpp"

namespace pimdse::models::umdam {

/// The memory controller of a point.
[[nodiscard]] sim::dram::Options controller(Design const& design);

}  // namespace pimdse::models::umdam
