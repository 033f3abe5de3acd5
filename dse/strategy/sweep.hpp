#pragma once

#include "dse/strategy/strategy.hpp"

#include <memory>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::strategy {

/// Every id from 0 on, in ranges: answers do not change what is asked.
[[nodiscard]] std::unique_ptr<Strategy> make_sweep(space::Space const& space);

}  // namespace pimdse::dse::strategy
