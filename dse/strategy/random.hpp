#pragma once

#include "dse/strategy/strategy.hpp"

#include <memory>

namespace pimdse::dse {

class Space;

/// Distinct points without replacement, in an order decided by the seed alone.
[[nodiscard]] std::unique_ptr<Strategy> make_random(Space const& space);

}  // namespace pimdse::dse
