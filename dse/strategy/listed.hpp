#pragma once

#include "dse/strategy/strategy.hpp"

#include <memory>
#include <vector>

namespace pimdse::dse::strategy {

/// Asks for these tasks, in their order, and for nothing else.
[[nodiscard]] std::unique_ptr<Strategy> make_listed(std::vector<task::Task> tasks);

}  // namespace pimdse::dse::strategy
