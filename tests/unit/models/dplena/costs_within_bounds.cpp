#include "tests/unit/models/dplena/costs_within_bounds.hpp"

#include "models/dplena/analytic.hpp"
#include "models/dplena/cycle.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>

namespace support {

using namespace pimdse::models::dplena;

BothCosts costs_within_bounds(pimdse::models::dplena::Program const& program) {
    BothCosts const costs{analytic_sampling(program, machine()), cycle_sampling(program, machine().hbm)};
    auto const& [analytic, exact] = costs;
    EXPECT_LE(analytic.total.lower, exact.total.value * (1.0 + 1e-12));
    EXPECT_GE(analytic.total.upper, exact.total.value * (1.0 - 1e-12));
    EXPECT_LE(analytic.memory.lower, exact.memory.value * (1.0 + 1e-12));
    EXPECT_GE(analytic.memory.upper, exact.memory.value * (1.0 - 1e-12));
    return costs;
}

}  // namespace support
