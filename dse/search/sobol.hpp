#pragma once

#include "dse/search/strategy.hpp"

#include <boost/random/sobol.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::search {

/// Distinct points that fill the space evenly: a Sobol sequence, scrambled by the seed, on the lattice of the space;
/// machines by their shares of its points. Throws InputError where it would have to remember too many.
[[nodiscard]] std::unique_ptr<Strategy> make_sobol(space::Space const& space);

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

/// Distinct points without replacement, in an order decided by the seed alone.
[[nodiscard]] std::unique_ptr<Strategy> make_random(space::Space const& space);

}  // namespace pimdse::dse::search
