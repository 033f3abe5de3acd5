#pragma once

#include "models/dplena/program.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <string>
#include <vector>

namespace support {

/// Costs of a program in closed form and as simulated.
struct BothCosts {
    pimdse::models::dplena::SamplingCost analytic, exact;
};
/// Expects the bounds of the closed form around the simulated cycles.
BothCosts costs_within_bounds(pimdse::models::dplena::Program const& program);
/// The same, and that the program takes no more cycles than without overlap.
BothCosts overlap_within_bounds(pimdse::models::dplena::Program const& program);

/// Expects the values at cycle level of metrics, all if `names` is empty, within their analytic intervals.
void expect_bounds(Settings const& settings, std::vector<std::string> const& names = {});

}  // namespace support
