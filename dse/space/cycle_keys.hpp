#pragma once

#include "dse/space/space.hpp"
#include "dse/task/answer.hpp"
#include "models/contract/cycle_key.hpp"

namespace pimdse::dse::space {

/// Points of the space with equal keys have equal answers at cycle level: of one machine, asked the same in every
/// scenario as far as its simulator can tell, and alike in what conditions on metrics read of a point. Where an
/// architecture has no keys, that of a point is its own.
[[nodiscard]] models::CycleKey cycle_key(Space const& space, task::PointId id);

}  // namespace pimdse::dse::space
