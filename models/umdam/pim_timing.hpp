#pragma once

#include "models/umdam/constants.hpp"
#include "models/umdam/design.hpp"
#include "sim/dram/standard.hpp"
#include "sim/pim/pim_timing.hpp"

namespace pimdse::models::umdam {

/// Timing of the banks of a design, in cycles of the command clock of its memory.
[[nodiscard]] sim::pim::PimTiming pim_timing(Design const& design, sim::dram::Standard const& dram,
                                             PimConstants const& constants);

}  // namespace pimdse::models::umdam
