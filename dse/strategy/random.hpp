#pragma once

#include "dse/strategy/strategy.hpp"

#include <memory>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::strategy {

/// Distinct points without replacement, in an order decided by the seed alone.
[[nodiscard]] std::unique_ptr<Strategy> make_random(space::Space const& space);

}  // namespace pimdse::dse::strategy
