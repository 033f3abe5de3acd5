#pragma once

#include "models/upmem/dpu/assembler.hpp"
#include "models/upmem/dpu/block_program.hpp"
#include "models/upmem/dpu/core.hpp"
#include "models/upmem/dpu/interpreter.hpp"
#include "models/upmem/dpu/memory.hpp"
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

/// Does this launch run its listing? Yes if there is one, its constants can hold the block size, and it stands for the
/// machine: the upimulator presets, or hardware with the same slots. Otherwise a program is made from the counts.
[[nodiscard]] bool runs_listing(Kernel const& kernel, Design const& design, Task const& task);

/// Of a whole block, and of the last one, which may be shorter.
struct BlockBytes {
    double whole = 0.0, last = 0.0;
};

/// What the cycle level executes of a launch on its busiest DPU, counted in instructions: exact, or at least that much
/// where it says `least`, at most where it says `most`.
struct LaunchProgram {
    bool counted = true;  ///< false: a listing whose kernel file does not say what it executes; all else is empty
    bool exact = true;    ///< `all` is what issues; otherwise tasklets that wait for a lock issue more
    std::int64_t tasklets = 1, blocks = 0, chunk = 1;
    double start = 0.0;                                    ///< of a tasklet, between its boot and its first block
    double finish = 1.0;                                   ///< of a tasklet, behind its last block
    double lead_min = 0.0;                                 ///< of a block, before its first transfer
    double max_loaded = 0.0;                               ///< of a block, up to its last read
    double behind_reads_min = 0.0;                         ///< of a block without writes, behind its last read
    double behind_writes = 0.0, between_writes_max = 0.0;  ///< of a block, behind its last write; from write to write
    double chunk_min = 0.0;                                ///< of a chunk of whole blocks
    double last_chunk_min = 0.0;
    std::int64_t last_chunk_blocks = 0;
    double all = 0.0;                      ///< of all tasklets
    double extras_min = 0.0;               ///< cycles of the register stage beyond one an instruction, of all
    double extras_max = 0.0;               ///< of one instruction
    double reads = 0.0, writes = 0.0;      ///< transfers of a block
    BlockBytes read_bytes, write_bytes;    ///< of a transfer
    double row_changes = 0.0, rows = 0.0;  ///< least: a tasklet's transfers in another row than its last; distinct rows
    double rows_max = 0.0;                 ///< that all transfers touch, one after the other
    double locked = 0.0;                   ///< instructions that only the holder of a lock executes

    [[nodiscard]] double transfers() const { return static_cast<double>(blocks) * (reads + writes); }
    /// Instructions with which a tasklet boots the next one and calls main; one less in the last.
    static constexpr double boot = 3;
};
[[nodiscard]] LaunchProgram count_program(Prepared const& prepared, Design const& design, Task const& task);

}  // namespace pimdse::models::upmem
