#pragma once

#include "dse/strategy/strategy.hpp"

#include <memory>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

/// Strategies that vary points that did well, whatever the parameters mean. Both throw InputError where the space does
/// not suit: a shard, more points than they remember.
namespace pimdse::dse::strategy {

/// A genetic search (NSGA-II) up to the budget; each point once.
[[nodiscard]] std::unique_ptr<Strategy> make_nsga2(space::Space const& space);

/// Pareto local search: up to the budget, or, without one, to its first local optimum.
[[nodiscard]] std::unique_ptr<Strategy> make_pls(space::Space const& space);

}  // namespace pimdse::dse::strategy
