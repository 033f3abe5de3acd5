#pragma once

#include "dse/genetic/genome.hpp"

namespace pimdse::dse::genetic {

/// A point between two of one genome: ordinals by simulated binary crossover (Deb and Agrawal, 1995) between whole
/// numbers, choices of either, orderings by order crossover.
[[nodiscard]] CodedPoint crossed(CodedPoint const& one, CodedPoint const& other, Genome const& genome, Dice& dice);

/// Changes about one gene: an ordinal by a polynomial mutation (Deb and Goyal, 1996) of a step or more, a choice to any
/// other, an ordering by a swap or an insertion.
void mutate(CodedPoint& point, Genome const& genome, Dice& dice);

}  // namespace pimdse::dse::genetic
