#pragma once

#include "dse/search/strategy.hpp"

#include <memory>
#include <vector>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::search {

/// Every id, in ranges of a 64th of them, in the order of van der Corput's sequence: at any time the results are spread
/// over the whole space, so that the rate so far is representative and the front is not that of one part of the space.
/// Non-adaptive.
[[nodiscard]] std::unique_ptr<Strategy> make_sweep(space::Space const& space);

/// Requests these tasks in this order, and nothing else.
[[nodiscard]] std::unique_ptr<Strategy> make_listed(std::vector<space::Task> tasks);

}  // namespace pimdse::dse::search
