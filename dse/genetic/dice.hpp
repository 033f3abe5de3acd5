#pragma once

#include "sim/base/random.hpp"

#include <cstdint>

namespace pimdse::dse::genetic {

/// The whole part of limit * bits / 2^64: even bits become a whole number below `limit`, each as likely.
[[nodiscard]] constexpr std::uint64_t share_of(std::uint64_t bits, std::uint64_t limit) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits) * limit) >> 64);
}

/// Random numbers one after the other: a hash of a seed and of how many there were.
class Dice {
  public:
    explicit Dice(std::uint64_t seed) : seed_(sim::mixed_bits(seed)) {}

    std::uint64_t bits() { return sim::mixed_bits(seed_ + sim::golden_step * ++count_); }
    /// A whole number from 0 up to, but not, `limit`, which is at least 1.
    std::uint64_t below(std::uint64_t limit) { return share_of(bits(), limit); }
    /// From 0 up to, but not, 1.
    double fraction() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    bool heads() { return bits() >> 63 != 0; }

  private:
    std::uint64_t seed_, count_ = 0;
};

}  // namespace pimdse::dse::genetic
