#pragma once

#include "models/upmem/dpu/assembler.hpp"
#include "models/upmem/dpu/bank_memory.hpp"
#include "models/upmem/dpu/core.hpp"
#include "models/upmem/dpu/interpreter.hpp"
#include "models/upmem/work.hpp"

namespace pimdse::models::upmem {

/// A launch simulated instruction by instruction on its busiest DPU.
struct CycleRun {
    dpu::Counters counters;
    double dma_busy = 0.0;  ///< cycles in which the MRAM server works
    bool ended = false;     ///< false: the cycle limit came first
};

/// The listing of a kernel, assembled and with its arguments in place. Throws InputError for a mistake in the listing.
[[nodiscard]] dpu::Interpreter make_interpreter(Kernel const& kernel, Design const& design, std::int64_t elements);

/// Of the upimulator presets.
[[nodiscard]] dpu::MemoryClock memory_clock(Prepared const& prepared, Design const& design);

/// The DPU cycle at which a simulation gives up: 2^42, or 2^36 where every cycle is stepped, which takes some half an
/// hour.
[[nodiscard]] std::int64_t longest_run(Prepared const& prepared, Design const& design, Task const& task);

/// Event-driven, exact to the cycle. Every byte of work is simulated, up to longest_run().
[[nodiscard]] CycleRun simulate(Prepared const& prepared, Design const& design, Task const& task);

class ListingTrace;
/// A listing that is traced while it runs, up to `limit` cycles.
[[nodiscard]] CycleRun run_listing(Prepared const& prepared, Design const& design, ListingTrace& listing,
                                   std::int64_t limit);

}  // namespace pimdse::models::upmem
