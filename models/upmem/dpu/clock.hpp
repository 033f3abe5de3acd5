#pragma once

#include <cstdint>

namespace pimdse::models::upmem::dpu {

/// Memory cycles of a DPU clock: DPU cycle c has the memory cycles first(c) .. first(c + 1) - 1, first(c) = floor(c n / d).
class MemoryClock {
  public:
    /// `memory` over `logic` clock, both in the same unit and positive.
    MemoryClock(std::int64_t memory, std::int64_t logic);

    [[nodiscard]] std::int64_t first(std::int64_t cycle) const {
        if (per_cycle_ != 0) return cycle * per_cycle_;
        return cycle / logic_ * memory_ + cycle % logic_ * memory_ / logic_;
    }
    /// The DPU cycle to which memory cycle m belongs: the largest c with first(c) <= m.
    [[nodiscard]] std::int64_t cycle_of(std::int64_t m) const;

  private:
    std::int64_t memory_, logic_;
    std::int64_t per_cycle_ = 0;  ///< the ratio, if it is whole
};

}  // namespace pimdse::models::upmem::dpu
