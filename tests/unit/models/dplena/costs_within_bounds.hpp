#pragma once

#include "models/dplena/program.hpp"

namespace support {

/// Costs of a program in closed form and as simulated.
struct BothCosts {
    pimdse::models::dplena::SamplingCost analytic, exact;
};
/// Expects the bounds of the closed form around the simulated cycles, which are no more than without overlap.
BothCosts costs_within_bounds(pimdse::models::dplena::Program const& program);

}  // namespace support
