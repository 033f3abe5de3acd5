#pragma once

#include <boost/random/sobol.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pimdse::dse::strategy {

/// Points of a Sobol sequence from its first one on, in 64 bits a coordinate, after Owen's scrambling (1995): each bit
/// is turned or not by what the seed says of the bits before it, so that nets stay nets.
class SobolSequence {
  public:
    SobolSequence(std::size_t dimensions, std::uint64_t seed);
    /// The next point; valid until the next call.
    [[nodiscard]] std::vector<std::uint64_t> const& next();

  private:
    [[nodiscard]] std::uint64_t scrambled(std::uint64_t bits, std::size_t dimension) const;
    boost::random::sobol_engine<std::uint64_t, 64> engine_;
    std::uint64_t seed_;
    bool begun_ = false;
    std::vector<std::uint64_t> point_;
};

}  // namespace pimdse::dse::strategy
