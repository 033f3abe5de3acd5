#include "models/upmem/dpu/clock.hpp"

#include "sim/base/check.hpp"

#include <limits>
#include <numeric>

namespace pimdse::models::upmem::dpu {

MemoryClock::MemoryClock(std::int64_t memory, std::int64_t logic) : memory_(memory), logic_(logic) {
    sim::expects(memory > 0 && logic > 0, "clocks are positive");
    std::int64_t const common = std::gcd(memory, logic);
    memory_ /= common;
    logic_ /= common;
    if (logic_ == 1) per_cycle_ = memory_;
    narrow_ = memory_ <= std::numeric_limits<std::int64_t>::max() / logic_;
}

std::int64_t MemoryClock::scaled(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t less) {
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>((static_cast<Wide>(a) * b - less) / c);
}

std::int64_t MemoryClock::beyond() const {
    constexpr std::int64_t most = std::int64_t{1} << 61;
    return memory_ <= logic_ ? most
                             : static_cast<std::int64_t>(static_cast<double>(most) / static_cast<double>(memory_) *
                                                         static_cast<double>(logic_));
}

std::int64_t MemoryClock::cycle_of(std::int64_t m) const {
    if (per_cycle_ != 0) return m / per_cycle_;
    // first(c) <= m  <=>  c n / d < m + 1  <=>  c <= ((m + 1) d - 1) / n
    std::int64_t const whole = (m + 1) / memory_, rest = (m + 1) % memory_;
    if (rest == 0) return whole * logic_ - 1;
    return whole * logic_ + (narrow_ ? (rest * logic_ - 1) / memory_ : scaled(rest, logic_, memory_, 1));
}

}  // namespace pimdse::models::upmem::dpu
