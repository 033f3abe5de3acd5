#pragma once

#include "dse/strategy/strategy.hpp"

#include <memory>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::strategy {

/// Distinct points that fill the space evenly: a Sobol sequence, scrambled by the seed, on the lattice of the space;
/// machines by their shares of its points. Throws InputError where it would have to remember too many.
[[nodiscard]] std::unique_ptr<Strategy> make_sobol(space::Space const& space);

}  // namespace pimdse::dse::strategy
