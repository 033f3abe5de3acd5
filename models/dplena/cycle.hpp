#pragma once

#include "models/contract/breakdown.hpp"
#include "models/dplena/constants.hpp"
#include "models/dplena/hbm/prefetch_cache.hpp"
#include "models/dplena/program.hpp"

namespace pimdse::models::dplena {

/// Sampling cost at cycle level: every prefetch passes through the HBM controller at its own time. Exact.
[[nodiscard]] SamplingCost cycle_sampling(Program const& program, Hbm const& hbm);

/// Bars of the timeline: one per instruction if nothing overlaps, otherwise the fetch and the work of each block. At
/// most `max` bars, and a last one that covers the omitted rest.
[[nodiscard]] Trace timeline_trace(Program const& program, MachineConstants const& machine, std::size_t max);

/// Exact cost of the serial machine, by category: instructions in order, one at a time, and every prefetch through the
/// HBM controller.
[[nodiscard]] SamplingCost serial_timeline(Program const& program, Hbm const& hbm);

}  // namespace pimdse::models::dplena
