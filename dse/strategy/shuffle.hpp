#pragma once

#include "sim/base/mixed_bits.hpp"

#include <cstdint>

namespace pimdse::dse {

/// A keyed permutation of 0 .. size-1 that needs no memory: a four-round Feistel network over the next even number of
/// bits, walked until it lands inside (at most four steps on average). The same (size, seed) gives the same order
/// everywhere.
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

using sim::mixed_bits;

}  // namespace pimdse::dse
