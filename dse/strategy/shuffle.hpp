#pragma once

#include <cstdint>

namespace pimdse::dse {

/// A keyed permutation of 0 .. size-1 that needs no memory: a four-round Feistel network over the next even number of bits,
/// walked until it lands inside (at most four steps on average). The same (size, seed) gives the same order everywhere.
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

/// splitmix64: 64 well mixed bits of a counter.
[[nodiscard]] constexpr std::uint64_t mixed_bits(std::uint64_t counter) {
    std::uint64_t z = counter + 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

}  // namespace pimdse::dse
