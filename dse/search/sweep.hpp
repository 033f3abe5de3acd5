#pragma once

#include "dse/search/strategy.hpp"

#include <memory>
#include <vector>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::search {

/// Every id, in ranges of a 64th of them, in van der Corput's order: what a run has answered at any time lies all over
/// the space, so that its rate holds for what is left, and its front is not that of a corner. Answers do not change
/// what is asked.
[[nodiscard]] std::unique_ptr<Strategy> make_sweep(space::Space const& space);

/// Asks for these tasks, in their order, and for nothing else.
[[nodiscard]] std::unique_ptr<Strategy> make_listed(std::vector<space::Task> tasks);

}  // namespace pimdse::dse::search
