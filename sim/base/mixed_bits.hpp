#pragma once

#include <cstdint>

namespace pimdse::sim {

/// splitmix64 (Steele, Lea, Flood 2014): 64 well mixed bits of a counter. All randomness is this function of a seed and
/// a counter, so it is the same on every machine and with any number of threads.
[[nodiscard]] constexpr std::uint64_t mixed_bits(std::uint64_t counter) {
    std::uint64_t z = counter + 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

/// Number `index` of the splitmix64 sequence that begins at 0.
[[nodiscard]] constexpr std::uint64_t mixed_sequence(std::uint64_t index) {
    return mixed_bits(index * 0x9E3779B97F4A7C15ULL);
}

/// mixed_bits as a number from 0 up to, but not, 1.
[[nodiscard]] constexpr double mixed_fraction(std::uint64_t counter) {
    return static_cast<double>(mixed_bits(counter) >> 11) * 0x1p-53;
}

}  // namespace pimdse::sim
