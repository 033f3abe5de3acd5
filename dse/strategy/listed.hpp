#pragma once

#include "dse/strategy/strategy.hpp"

#include <memory>
#include <vector>

namespace pimdse::dse::strategy {

/// Asks for these points, in their order, and for nothing else.
[[nodiscard]] std::unique_ptr<Strategy> make_listed(std::vector<task::PointId> points, models::Fidelity fidelity);

}  // namespace pimdse::dse::strategy
