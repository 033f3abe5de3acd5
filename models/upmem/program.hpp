#pragma once

#include "models/upmem/dpu/block_program.hpp"
#include "models/upmem/work.hpp"

namespace pimdse::models::upmem {

/// Does this launch run its listing? Yes if there is one, its constants can hold the block size, and it stands for the
/// machine: the upimulator presets, or hardware with the same slots. Otherwise a program is made from the counts.
[[nodiscard]] bool runs_listing(Kernel const& kernel, Design const& design, Task const& task);

/// The program that is made. Hazards are register conflicts: fewer than the slots they cost, since each also leaves
/// bubbles.
[[nodiscard]] dpu::BlockWork block_work(MachineConstants const& machine, Design const& design, DpuWork const& work);

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
    double start = 0.0;                                     ///< of a tasklet, between its boot and its first block
    double finish = 1.0;                                    ///< of a tasklet, behind its last block
    double lead_least = 0.0;                                ///< of a block, before its first transfer
    double loaded_most = 0.0;                               ///< of a block, up to its last read
    double behind_reads_least = 0.0;                        ///< of a block without writes, behind its last read
    double behind_writes = 0.0, between_writes_most = 0.0;  ///< of a block, behind its last write; from write to write
    double chunk_least = 0.0;                               ///< of a chunk of whole blocks
    double last_chunk_least = 0.0;
    std::int64_t last_chunk_blocks = 0;
    double all = 0.0;                      ///< of all tasklets
    double extras_least = 0.0;             ///< cycles of the register stage beyond one an instruction, of all
    double extras_most = 0.0;              ///< of one instruction
    double reads = 0.0, writes = 0.0;      ///< transfers of a block
    BlockBytes read_bytes, write_bytes;    ///< of a transfer
    double row_changes = 0.0, rows = 0.0;  ///< least: a tasklet's transfers in another row than its last; distinct rows
    double rows_most = 0.0;                ///< that all transfers touch, one after the other
    double locked = 0.0;                   ///< instructions that only the holder of a lock executes

    [[nodiscard]] double transfers() const { return static_cast<double>(blocks) * (reads + writes); }
    /// Instructions with which a tasklet boots the next one and calls main; one less in the last.
    static constexpr double boot = 3;
};
[[nodiscard]] LaunchProgram count_program(Prepared const& prepared, Design const& design, Task const& task);

}  // namespace pimdse::models::upmem
