#pragma once

#include "dse/search/strategy.hpp"

#include <memory>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::search {

/// The strategy that the space's search settings name.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(space::Space const& space);

}  // namespace pimdse::dse::search
