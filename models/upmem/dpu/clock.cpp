#include "models/upmem/dpu/clock.hpp"

#include "sim/check.hpp"

#include <numeric>

namespace pimdse::models::upmem::dpu {

MemoryClock::MemoryClock(std::int64_t memory, std::int64_t logic) : memory_(memory), logic_(logic) {
    sim::expects(memory > 0 && logic > 0, "clocks are positive");
    std::int64_t const common = std::gcd(memory, logic);
    memory_ /= common;
    logic_ /= common;
    if (logic_ == 1) per_cycle_ = memory_;
}

std::int64_t MemoryClock::cycle_of(std::int64_t m) const {
    if (per_cycle_ != 0) return m / per_cycle_;
    // first(c) <= m  <=>  c n / d < m + 1  <=>  c <= ((m + 1) d - 1) / n
    std::int64_t const whole = (m + 1) / memory_, rest = (m + 1) % memory_;
    return rest == 0 ? whole * logic_ - 1 : whole * logic_ + (rest * logic_ - 1) / memory_;
}

}  // namespace pimdse::models::upmem::dpu
