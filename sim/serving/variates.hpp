#pragma once

#include <cstdint>

namespace pimdse::sim::serving {

/// Random numbers of a seed: splitmix64 (sim/base/random.hpp) of a counter, so that a seed gives the same numbers for
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

}  // namespace pimdse::sim::serving
