#pragma once

#include "dse/search/strategy.hpp"

#include <memory>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::search {

/// Creates the strategy named in the space's search settings.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(space::Space const& space);

}  // namespace pimdse::dse::search
