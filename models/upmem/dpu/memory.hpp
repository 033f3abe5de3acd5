#pragma once

#include "models/upmem/dpu/assembler.hpp"
#include "models/upmem/dpu/recurrence.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace pimdse::models::upmem::dpu {

/// Memory cycles within a DPU clock: DPU cycle c has the memory cycles first(c) .. first(c + 1) - 1, first(c) = floor(c
/// n / d).
class MemoryClock {
  public:
    /// `memory` and `logic` are the two clocks in the same unit; both are positive.
    MemoryClock(std::int64_t memory, std::int64_t logic);

    /// Exact for every cycle below beyond().
    [[nodiscard]] std::int64_t first(std::int64_t cycle) const {
        if (per_cycle_ != 0) return cycle * per_cycle_;
        std::int64_t const rest = cycle % logic_;
        return cycle / logic_ * memory_ + (narrow_ ? rest * memory_ / logic_ : scaled(rest, memory_, logic_));
    }
    /// Memory cycles per DPU cycle, and their mean over the first 2^20.
    [[nodiscard]] double ratio() const { return static_cast<double>(memory_) / static_cast<double>(logic_); }
    [[nodiscard]] double mean_ratio() const {
        constexpr std::int64_t many = 1LL << 20;
        return static_cast<double>(first(many)) / static_cast<double>(many);
    }
    /// The first DPU cycle whose memory cycles would approach the limit of 64 bits.
    [[nodiscard]] std::int64_t beyond() const;
    /// The DPU cycle to which memory cycle m belongs: the largest c with first(c) <= m.
    [[nodiscard]] std::int64_t cycle_of(std::int64_t m) const;

  private:
    /// (a b - less) / c, with a product of 128 bits; the quotient fits 64 bits.
    [[nodiscard]] static std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t less = 0);

    std::int64_t memory_, logic_;
    std::int64_t per_cycle_ = 0;  ///< the ratio, if it is whole
    bool narrow_ = true;          ///< memory x logic fits 64 bits
};

/// DRAM timings in memory cycles. The recurrences hold for t_bl <= t_cl.
struct BankTiming {
    std::int64_t t_rcd = 32, t_ras = 78, t_rp = 32, t_cl = 32, t_bl = 8;
    std::int64_t row_bytes = 1024, access_bytes = 8;
};

/// The DMA engine, controller and bank of uPIMulator without stepping. A command is cut into 8-byte accesses. One
/// scheduling decision per memory cycle takes the oldest access to the row chosen last, or else the oldest of all. The
/// times of the bank follow from recurrences. Decisions are made as late as possible, so that no later command could
/// have changed them. Satisfies the memory concept of Core.
class BankMemory {
  public:
    BankMemory(BankTiming timing, MemoryClock clock);

    /// A command reaches the controller in DPU cycle `cycle`; cycles never decrease.
    void accept(Issued const& command, std::int64_t cycle);
    /// The tasklet whose command is handed back in step 9b of `cycle`, or -1. At most one per cycle.
    int hand_back(std::int64_t cycle);
    /// The cycle in which the next command is handed back, if that is before `limit`; otherwise `limit` or more. No
    /// command may arrive before `limit`.
    std::int64_t next_hand_back(std::int64_t limit);
    [[nodiscard]] bool idle() const { return runs_.empty() && done_.empty(); }

    /// Busy time of the server in DPU cycles: cycles in which the bank moved data or opened rows, up to the last
    /// access.
    [[nodiscard]] double busy_cycles() const;
    [[nodiscard]] std::int64_t row_activations() const { return row_activations_; }

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
    /// X, A, G and Q: start of the last access, activate and command; last exit of a scheduled item.
    std::int64_t access_, activate_, command_, left_;
    std::int64_t row_activations_ = 0, busy_ = 0;
};

/// MRAM DMA of real hardware as measured: one request at a time, first come, first served, setup + per_byte x bytes
/// cycles each. The measured setup contains the path of the instruction through the pipeline, so a free server starts
/// when the instruction issues. Satisfies the memory concept of Core.
class ServerMemory {
  public:
    ServerMemory(double setup, double per_byte, std::int64_t pipeline_cycles)
        : setup_(setup), per_byte_(per_byte), pipeline_cycles_(pipeline_cycles) {}

    void accept(Issued const& command, std::int64_t cycle);
    int hand_back(std::int64_t cycle);
    std::int64_t next_hand_back(std::int64_t limit);
    [[nodiscard]] bool idle() const { return done_.empty(); }
    [[nodiscard]] double busy_cycles() const { return busy_; }

    /// Whether all sums so far are free of rounding and will stay below 2^43 cycles.
    [[nodiscard]] bool is_exact() const { return exact_; }
    /// Adds the state of the transfers in flight, relative to `cycle`.
    void describe(StateWords& words, std::int64_t cycle) const;
    /// Advances the transfers in flight by `periods` periods of `length` cycles; in each, the server is as busy as
    /// since `busy`.
    void skip_periods(std::int64_t periods, std::int64_t length, double busy);

  private:
    struct Done {
        std::uint8_t tasklet;
        std::int64_t cycle;  ///< in which it is handed back
    };
    double setup_, per_byte_;
    std::int64_t pipeline_cycles_;
    double free_ = 0.0, busy_ = 0.0;
    bool exact_ = true;
    std::deque<Done> done_;
};

}  // namespace pimdse::models::upmem::dpu
