#pragma once

#include <cstdint>

namespace pimdse::sim {

/// 2^64 / golden ratio; its multiples are evenly spread.
inline constexpr std::uint64_t golden_step = 0x9E3779B97F4A7C15ULL;

/// splitmix64 (Steele, Lea, Flood 2014): 64 well-mixed bits of a counter. All random numbers are this function of a
/// seed and a counter, so they are the same on every host and for any number of threads.
[[nodiscard]] constexpr std::uint64_t mixed_bits(std::uint64_t counter) {
    std::uint64_t z = counter + golden_step;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

/// Number `index` of the splitmix64 sequence that begins at 0.
[[nodiscard]] constexpr std::uint64_t mixed_sequence(std::uint64_t index) { return mixed_bits(index * golden_step); }

/// mixed_bits as a number in [0, 1).
[[nodiscard]] constexpr double mixed_fraction(std::uint64_t counter) {
    return static_cast<double>(mixed_bits(counter) >> 11) * 0x1p-53;
}

/// A keyed permutation of 0 .. size-1 that needs no memory: a four-round Feistel network over the next even number of
/// bits, repeated until the result is below `size` (at most four times on average). The same (size, seed) gives the
/// same order everywhere.
class Shuffle {
  public:
    Shuffle(std::uint64_t size, std::uint64_t seed);
    /// The element at `position`; distinct positions give distinct elements.
    [[nodiscard]] std::uint64_t at(std::uint64_t position) const;

  private:
    [[nodiscard]] std::uint64_t permuted(std::uint64_t x) const;
    std::uint64_t size_;
    std::uint64_t seed_;
    unsigned half_bits_;
};

/// Random numbers of a seed: splitmix64 of a counter, so that a seed gives the same numbers for
/// any number of threads. Logarithms and roots are the C library's: hosts whose libraries round them differently may
/// differ in the last bit.
class Variates {
  public:
    /// `stream` separates numbers of one seed that are used for different things.
    Variates(std::uint64_t seed, std::uint64_t stream);
    [[nodiscard]] double uniform();      ///< in (0, 1)
    [[nodiscard]] double exponential();  ///< with mean 1: minus the logarithm of a uniform number
    [[nodiscard]] double normal();       ///< with mean 0 and variance 1 (Box, Muller 1958; the cosine alone is used)
    /// With mean and variance `shape` (G. Marsaglia, W. W. Tsang, ACM TOMS 26(3), 2000; shapes below 1 by their
    /// gamma(shape + 1) x u^(1 / shape)). Precondition: shape > 0.
    [[nodiscard]] double gamma(double shape);

  private:
    [[nodiscard]] double gamma_from_one(double shape);
    std::uint64_t key_;
    std::uint64_t count_ = 0;
};

}  // namespace pimdse::sim
