#pragma once

#include "models/upmem/dpu/assembler.hpp"
#include "models/upmem/dpu/block_program.hpp"
#include "models/upmem/dpu/core.hpp"
#include "models/upmem/dpu/interpreter.hpp"
#include "models/upmem/dpu/memory.hpp"
#include "models/upmem/work.hpp"

#include <string>

namespace pimdse::models::upmem {

/// A launch simulated instruction by instruction on its busiest DPU.
struct CycleRun {
    dpu::Counters counters;
    double dma_busy = 0.0;  ///< cycles in which the MRAM server works
    bool ended = false;     ///< false: the cycle limit was reached first
    std::string place{};    ///< where the listing was then: "va.s:12: "
};

/// The listing of the design's kernel, assembled and with its arguments in place. Throws InputError for an error in the
/// listing.
[[nodiscard]] dpu::Interpreter make_interpreter(Prepared const& prepared, Design const& design, std::int64_t elements);

/// Memory clock of the upimulator presets.
[[nodiscard]] dpu::MemoryClock memory_clock(Prepared const& prepared, Design const& design);

/// Cycles of a launch by the closed form.
[[nodiscard]] double expected_cycles(Prepared const& prepared, Design const& design, Task const& task);

/// The DPU cycle at which a simulation is given up: 2^42, or 2^36 if every cycle is stepped, which takes about half an
/// hour. A listing is given up after 2^26 cycles, or a hundred times as many as expected if that is more.
[[nodiscard]] std::int64_t longest_run(Prepared const& prepared, Design const& design, Task const& task);

/// Event-driven, exact to the cycle. Every byte of work is simulated, up to longest_run().
[[nodiscard]] CycleRun simulate(Prepared const& prepared, Design const& design, Task const& task);

class ListingTrace;
/// Runs a listing for up to `limit` cycles and traces it.
[[nodiscard]] CycleRun run_listing(Prepared const& prepared, Design const& design, ListingTrace& listing,
                                   std::int64_t limit);

/// Whether this launch runs its listing. It does if there is a listing, its constants can hold the block size, and it
/// represents the machine: the upimulator presets, or hardware with the same slots. Otherwise a program is generated
/// from the counts.
[[nodiscard]] bool runs_listing(Kernel const& kernel, Design const& design, Task const& task);

/// Bytes of a transfer in a whole block and in the last one, which may be shorter.
struct BlockBytes {
    double whole = 0.0, last = 0.0;
};

/// The work that the cycle level executes for a launch on its busiest DPU, counted in instructions. Values are exact;
/// those named `min` are lower bounds, those named `max` upper bounds.
struct LaunchProgram {
    /// False: the kernel file of the listing does not state the counts; everything else is empty.
    bool counted = true;
    /// Whether `all` is the number of issued instructions; otherwise tasklets that wait for a lock issue more.
    bool exact = true;
    std::int64_t tasklets = 1, blocks = 0, chunk = 1;
    double start = 0.0;             ///< per tasklet, between its boot and its first block
    double finish = 1.0;            ///< per tasklet, after its last block
    double lead_min = 0.0;          ///< per block, before its first transfer
    double max_loaded = 0.0;        ///< per block, up to its last read
    double behind_reads_min = 0.0;  ///< per block without writes, after its last read
    /// Per block: after its last write; between two writes.
    double behind_writes = 0.0, between_writes_max = 0.0;
    double chunk_min = 0.0;  ///< per chunk of whole blocks
    double last_chunk_min = 0.0;
    std::int64_t last_chunk_blocks = 0;
    double all = 0.0;  ///< all tasklets
    /// Cycles of the register stage beyond one per instruction, in total.
    double extras_min = 0.0;
    double extras_max = 0.0;             ///< per instruction
    double reads = 0.0, writes = 0.0;    ///< transfers per block
    BlockBytes read_bytes, write_bytes;  ///< per transfer
    /// Lower bounds: transfers to another row than the tasklet's previous transfer; distinct rows.
    double row_changes = 0.0, rows = 0.0;
    double rows_max = 0.0;  ///< upper bound of the sum over all transfers of the rows they touch
    double locked = 0.0;    ///< instructions that only the holder of a lock executes

    [[nodiscard]] double transfers() const { return static_cast<double>(blocks) * (reads + writes); }
    /// Instructions with which a tasklet boots the next one and calls main; one fewer in the last tasklet.
    static constexpr double boot = 3;
};
[[nodiscard]] LaunchProgram count_program(Prepared const& prepared, Design const& design, Task const& task);

}  // namespace pimdse::models::upmem
