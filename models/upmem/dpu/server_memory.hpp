#pragma once

#include "models/upmem/dpu/instruction.hpp"
#include "models/upmem/dpu/recurrence.hpp"

#include <cstdint>
#include <deque>

namespace pimdse::models::upmem::dpu {

/// MRAM DMA of real hardware as measured: one request at a time, first come first served, setup + per_byte x bytes
/// cycles each. The measured setup contains the way of the instruction through the pipeline, so a free server starts
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

    /// Have all sums so far been without rounding, and will they be below 2^43 cycles?
    [[nodiscard]] bool is_exact() const { return exact_; }
    /// What is under way, as seen from `cycle`.
    void describe(StateWords& words, std::int64_t cycle) const;
    /// What is under way goes on `length` cycles later `periods` times, the server as busy each time as since `busy`.
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
