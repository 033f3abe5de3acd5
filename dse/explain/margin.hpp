#pragma once

#include "dse/space/expression_bounds.hpp"
#include "dse/space/machine.hpp"

#include <string>
#include <vector>

namespace pimdse::dse::explain {

/// How far a point is from the limit of a condition of its space.
struct Margin {
    std::string name, text;
    bool known = true;   ///< false: it reads metrics that are not there or do not apply
    bool holds = false;  ///< if known
    double slack = 0.0;  ///< of the limit; negative: missed; NaN where the condition is no inequality or not known
    std::vector<space::Crossing> crossings{};  ///< comparisons that intervals leave undecided
};

/// Of every condition of a machine; `outcome`: what it answers at this point before conditions on metrics.
[[nodiscard]] std::vector<Margin> margins_of(space::Machine const& machine, models::Point point,
                                             models::Outcome const& outcome);

}  // namespace pimdse::dse::explain
