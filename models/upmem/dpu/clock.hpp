#pragma once

#include <cstdint>

namespace pimdse::models::upmem::dpu {

/// Memory cycles of a DPU clock: DPU cycle c has the memory cycles first(c) .. first(c + 1) - 1, first(c) = floor(c n /
/// d).
class MemoryClock {
  public:
    /// `memory` over `logic` clock, both in the same unit and positive.
    MemoryClock(std::int64_t memory, std::int64_t logic);

    /// Exact for every cycle below beyond().
    [[nodiscard]] std::int64_t first(std::int64_t cycle) const {
        if (per_cycle_ != 0) return cycle * per_cycle_;
        std::int64_t const rest = cycle % logic_;
        return cycle / logic_ * memory_ + (narrow_ ? rest * memory_ / logic_ : scaled(rest, memory_, logic_));
    }
    /// Memory cycles of a DPU cycle, and their mean over the first 2^20.
    [[nodiscard]] double ratio() const { return static_cast<double>(memory_) / static_cast<double>(logic_); }
    [[nodiscard]] double mean_ratio() const {
        constexpr std::int64_t many = 1LL << 20;
        return static_cast<double>(first(many)) / static_cast<double>(many);
    }
    /// The first DPU cycle whose memory cycles would come near the end of 64 bits.
    [[nodiscard]] std::int64_t beyond() const;
    /// The DPU cycle to which memory cycle m belongs: the largest c with first(c) <= m.
    [[nodiscard]] std::int64_t cycle_of(std::int64_t m) const;

  private:
    /// (a b - less) / c, with a product of 128 bits; the quotient fits 64.
    [[nodiscard]] static std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t less = 0);

    std::int64_t memory_, logic_;
    std::int64_t per_cycle_ = 0;  ///< the ratio, if it is whole
    bool narrow_ = true;          ///< memory x logic fits 64 bits
};

}  // namespace pimdse::models::upmem::dpu
