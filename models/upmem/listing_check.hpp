#pragma once

#include "models/upmem/design.hpp"
#include "models/upmem/dpu/assembler.hpp"
#include "models/upmem/dpu/counters.hpp"
#include "models/upmem/dpu/interpreter.hpp"
#include "models/upmem/kernel.hpp"
#include "models/upmem/prepared.hpp"

#include <array>
#include <cstdint>
#include <set>

namespace pimdse::models::upmem {

/// Runs the listing of a kernel for several tasklets, blocks and sizes and compares the execution with the counts of
/// the kernel file: instructions, transfers, their bytes and rows, register extras, and the lower bound of its cycles,
/// which is computed from these counts. Throws InputError that states both numbers. A listing without counts passes,
/// because its bounds do not depend on counts.
void check_listing(Prepared const& prepared, std::size_t kernel, std::string const& file);

/// Everything that is the same for all points; the listings of the user are compared with their counts.
[[nodiscard]] std::shared_ptr<void const> prepare_checked(Parameters const& table, ModelOptions const& options);

/// The names that a listing may use, for `elements` elements of one DPU.
[[nodiscard]] dpu::Symbols listing_symbols(Kernel const& kernel, Design const& design, std::int64_t elements);

/// Whether the listing of a kernel or its arguments use a name whose value depends on the DMA block.
[[nodiscard]] bool listing_reads_block(Kernel const& kernel);

/// Instructions that one tasklet has issued; `before_first` counts up to a transfer without it, `loaded` including it.
struct TaskletTrace {
    std::int64_t instructions = 0, before_first = -1, loaded = -1, at_last = 0;
    std::int64_t reads = 0, transfers = 0, row_changes = 0, last_row = -1;
};

/// Traces the execution of a listing. Satisfies the source concept of Core.
class ListingTrace {
  public:
    /// `reads`: transfers to WRAM per block.
    ListingTrace(dpu::Interpreter& listing, std::int64_t row_bytes, std::int64_t reads)
        : listing_(listing), row_bytes_(row_bytes), reads_(reads) {}

    dpu::Issued issue(std::size_t tasklet);
    void moved(dpu::Issued const& transfer) { listing_.moved(transfer); }

    [[nodiscard]] TaskletTrace const& of(std::size_t tasklet) const { return tasklets_[tasklet]; }
    [[nodiscard]] std::int64_t reads() const { return all_.reads; }
    [[nodiscard]] std::int64_t writes() const { return all_.transfers - all_.reads; }
    [[nodiscard]] std::int64_t bytes_read() const { return bytes_[0]; }
    [[nodiscard]] std::int64_t bytes_written() const { return bytes_[1]; }
    [[nodiscard]] std::int64_t row_changes() const { return all_.row_changes; }
    [[nodiscard]] std::int64_t rows_touched() const { return rows_touched_; }
    [[nodiscard]] std::int64_t distinct_rows() const { return static_cast<std::int64_t>(rows_.size()); }

  private:
    void count(dpu::Issued const& transfer, TaskletTrace& tasklet);

    dpu::Interpreter& listing_;
    std::int64_t row_bytes_, reads_, rows_touched_ = 0;
    std::array<TaskletTrace, dpu::max_tasklets> tasklets_{};
    TaskletTrace all_;
    std::array<std::int64_t, 2> bytes_{};
    std::set<std::int64_t> rows_;
};

}  // namespace pimdse::models::upmem
