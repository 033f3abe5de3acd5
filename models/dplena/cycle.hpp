#pragma once

#include "models/dplena/sampling.hpp"

namespace pimdse::models::dplena {

/// Every instruction in order, one in flight, every prefetch through the HBM controller: exact, by category.
[[nodiscard]] SamplingCost serial_timeline(Program const& program, Machine const& machine);

/// Overlapped machines: blocks fetched ahead into `buffers` places, up to `outstanding` prefetches under way, work as
/// Blocks::work. Every prefetch goes through the HBM controller at the time the schedule gives it.
[[nodiscard]] SamplingCost overlapped_timeline(Program const& program, Machine const& machine);

/// Cycles of a long overlapped program from running its beginning, of about `most_prefetches`: the later half of that
/// stands for the rest. Without the serial order that overlapped_timeline keeps where it is faster.
[[nodiscard]] double overlapped_part(Program const& program, Machine const& machine, std::int64_t most_prefetches);

/// Whichever of the two the design asks for.
[[nodiscard]] SamplingCost cycle_sampling(Program const& program, Machine const& machine);

/// Bars of the timeline: every instruction when nothing overlaps, else fetches and work of every block. At most `most`
/// of them; a last bar covers what was left out.
[[nodiscard]] Trace timeline_trace(Program const& program, Machine const& machine, std::size_t most);
[[nodiscard]] Trace overlapped_trace(Program const& program, Machine const& machine, std::size_t most);

}  // namespace pimdse::models::dplena
