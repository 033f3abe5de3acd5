#pragma once

#include "dse/space/machine.hpp"

#include <string>
#include <vector>

namespace pimdse::dse::explain {

/// Where time, energy and area of a point go, in a scenario or as it is asked.
struct Spending {
    std::string scenario;  ///< "" where there are none
    models::Breakdown parts;
};

/// Of a feasible point, once or per scenario.
[[nodiscard]] std::vector<Spending> spending_of(space::Machine const& machine, models::Point point,
                                                models::Fidelity fidelity);

}  // namespace pimdse::dse::explain
