#pragma once

#include "models/upmem/dpu/clock.hpp"
#include "models/upmem/dpu/instruction.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace pimdse::models::upmem::dpu {

/// DRAM timings in memory cycles. The recurrences hold for t_bl <= t_cl.
struct BankTiming {
    std::int64_t t_rcd = 32, t_ras = 78, t_rp = 32, t_cl = 32, t_bl = 8;
    std::int64_t row_bytes = 1024, access_bytes = 8;
};

/// The DMA engine, controller and bank of uPIMulator without stepping: a command is cut into 8-byte accesses, one
/// scheduling decision per memory cycle takes the oldest access of the last chosen row or else the oldest of all, and
/// the bank's times follow from recurrences. Decisions are made as late as possible, so that no later command could
/// have changed them. Satisfies the memory concept of Core.
class BankMemory {
  public:
    BankMemory(BankTiming timing, MemoryClock clock);

    /// A command reaches the controller in DPU cycle `cycle`; cycles never go back.
    void accept(Issued const& command, std::int64_t cycle);
    /// The tasklet whose command is handed back in step 9b of `cycle`, or -1. At most one per cycle.
    int hand_back(std::int64_t cycle);
    /// The cycle in which the next command is handed back, if that is before `limit`; otherwise `limit` or more. No
    /// command may arrive before `limit`.
    std::int64_t next_hand_back(std::int64_t limit);
    [[nodiscard]] bool idle() const { return runs_.empty() && done_.empty(); }

    /// Cycles in which the bank moved data or opened rows, up to the last access: the server's busy time, in DPU
    /// cycles.
    [[nodiscard]] double busy_cycles() const;
    [[nodiscard]] std::int64_t activations() const { return activations_; }

  private:
    struct Run {  ///< accesses of one command in one row
        std::uint8_t tasklet;
        std::int64_t row, count, accepted;
    };
    struct Done {
        std::uint8_t tasklet;
        std::int64_t acknowledged;
    };

    enum class Stop : std::uint8_t { at_limit, at_first_done };
    void decide_before(std::int64_t memory_cycle, Stop stop);
    void decide(std::size_t run, std::int64_t at);
    void reach(std::int64_t row, std::int64_t at);

    BankTiming timing_;
    MemoryClock clock_;
    std::vector<Run> runs_;
    std::deque<Done> done_;
    std::int64_t scheduler_row_ = -1;
    std::int64_t next_decision_ = 0, last_accept_ = -1;
    std::int64_t access_, activate_, command_,
        left_;  ///< X, A, G and Q: start of the last access, activate, command; last exit of a scheduled item
    std::int64_t activations_ = 0, busy_ = 0;
};

}  // namespace pimdse::models::upmem::dpu
