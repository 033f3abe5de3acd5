#pragma once

#include "dse/strategy/strategy.hpp"

#include <memory>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::strategy {

/// Every id, in ranges of a 64th of them, in van der Corput's order: what a run has answered at any time lies all over
/// the space, so that its rate holds for what is left, and its front is not that of a corner. Answers do not change
/// what is asked.
[[nodiscard]] std::unique_ptr<Strategy> make_sweep(space::Space const& space);

}  // namespace pimdse::dse::strategy
