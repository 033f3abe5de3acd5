#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/hbm/prefetch_memory.hpp"
#include "models/dplena/program.hpp"

namespace pimdse::models::dplena {

/// Every prefetch through the HBM controller at its own time: exact.
[[nodiscard]] SamplingCost cycle_sampling(Program const& program, Hbm const& hbm);

/// Bars of the timeline: every instruction when nothing overlaps, else fetches and work of every block. At most `most`
/// of them; a last bar covers what was left out.
[[nodiscard]] Trace timeline_trace(Program const& program, MachineConstants const& machine, std::size_t max);

/// Every instruction in order, one in flight, every prefetch through the HBM controller: exact, by category.
[[nodiscard]] SamplingCost serial_timeline(Program const& program, Hbm const& hbm);

}  // namespace pimdse::models::dplena
