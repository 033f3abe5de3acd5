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
    EXPECT_LE(analytic.total.lower, analytic.total.value);
    EXPECT_LE(analytic.total.value, analytic.total.upper);
    EXPECT_EQ(analytic.total.kinds.lower, pimdse::models::Bound::proved);
    EXPECT_EQ(analytic.counts, program.total());
    auto serial = program.design();
    serial.overlap = Overlap::none;
    EXPECT_LE(exact.total.value, cycle_sampling(Program(serial, machine().costs), machine().hbm).total.value);
    return costs;
}

}  // namespace support
