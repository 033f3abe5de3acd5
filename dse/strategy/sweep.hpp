#pragma once

#include "dse/strategy/strategy.hpp"

#include <memory>

namespace pimdse::dse {

class Space;

/// Every id from 0 on, in ranges: answers do not change what is asked.
[[nodiscard]] std::unique_ptr<Strategy> make_sweep(Space const& space);

}  // namespace pimdse::dse
