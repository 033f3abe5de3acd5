#pragma once

#include "models/upmem/dpu/counters.hpp"
#include "models/upmem/dpu/interpreter.hpp"

#include <array>
#include <set>

namespace pimdse::models::upmem {

/// What one tasklet has issued; `before` and `loaded` count up to a transfer, that one excluded and included.
struct TaskletTrace {
    std::int64_t instructions = 0, before_first = -1, loaded = -1, at_last = 0;
    std::int64_t reads = 0, transfers = 0, row_changes = 0, last_row = -1;
};

/// What a run of a listing executes. Satisfies the source concept of Core.
class ListingTrace {
  public:
    /// `reads`: transfers to WRAM of a block.
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
    std::array<TaskletTrace, dpu::most_tasklets> tasklets_{};
    TaskletTrace all_;
    std::array<std::int64_t, 2> bytes_{};
    std::set<std::int64_t> rows_;
};

}  // namespace pimdse::models::upmem
