#pragma once

#include "dse/search/strategy.hpp"

#include <boost/random/sobol.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace pimdse::dse::search {

/// Distinct points that fill the space evenly: a scrambled Sobol sequence on the grid of the space; each machine gets
/// its share of the points. Throws InputError if it would have to keep too many points in memory.
[[nodiscard]] std::unique_ptr<Strategy> make_sobol(space::Space const& space);

/// A Sobol sequence from its first point on, with 64 bits per coordinate, after Owen's scrambling (1995): each bit is
/// flipped depending on the seed and the bits before it, so that nets remain nets.
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

/// Distinct points without replacement, in an order that depends on the seed alone.
[[nodiscard]] std::unique_ptr<Strategy> make_random(space::Space const& space);

}  // namespace pimdse::dse::search
