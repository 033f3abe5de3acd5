#include "tests/unit/models/dplena/costs_within_bounds.hpp"

#include "models/dplena/analytic.hpp"
#include "models/dplena/cycle.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>

namespace support {

using namespace pimdse::models;
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
    return costs;
}

BothCosts overlap_within_bounds(pimdse::models::dplena::Program const& program) {
    auto const costs = costs_within_bounds(program);
    auto serial = program.design();
    serial.overlap = Overlap::none;
    EXPECT_LE(costs.exact.total.value, cycle_sampling(Program(serial, machine().costs), machine().hbm).total.value);
    return costs;
}

void expect_bounds(Settings const& settings, std::vector<std::string> const& names) {
    auto const bounds = std::get<Metrics>(evaluate(settings, Fidelity::analytic)),
               exact = std::get<Metrics>(evaluate(settings, Fidelity::cycle));
    auto const table = architecture().metrics();
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        bool const asked = names.empty() || std::ranges::find(names, table[i].name) != names.end();
        if (!asked || !applies(exact[i]) || bounds[i].kinds == Bound::none) continue;
        double const slack = 1e-12 * std::abs(exact[i].value);
        EXPECT_LE(bounds[i].lower, exact[i].value + slack) << table[i].name;
        EXPECT_GE(bounds[i].upper, exact[i].value - slack) << table[i].name;
    }
}

}  // namespace support
