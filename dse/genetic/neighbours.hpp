#pragma once

#include "dse/genetic/genome.hpp"

namespace pimdse::dse::genetic {

/// How many neighbours a point has: one step along an ordinal, any other choice, an ordering with two items swapped or
/// one inserted elsewhere.
[[nodiscard]] std::uint64_t neighbours_of(CodedPoint const& point, Genome const& genome);

/// One of them; all are different.
[[nodiscard]] CodedPoint neighbour(CodedPoint const& point, Genome const& genome, std::uint64_t index);

}  // namespace pimdse::dse::genetic
