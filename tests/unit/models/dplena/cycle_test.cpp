#include "models/dplena/cycle.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>

namespace cycle_test {
namespace {

using namespace pimdse::models;

TEST(DplenaCycle, equals_every_reference_row_in_every_category) {
    for (auto const& row : support::rows()) {
        dplena::Program const program(support::design(row.settings), support::machine().costs);
        auto const cost = dplena::serial_timeline(program, support::machine().hbm);
        EXPECT_EQ(cost.counts.vector, row.vector) << row.text;
        EXPECT_EQ(cost.counts.scalar, row.scalar) << row.text;
        EXPECT_EQ(cost.counts.control, row.control) << row.text;
        EXPECT_EQ(cost.memory.value, static_cast<double>(row.memory)) << row.text;
        EXPECT_EQ(cost.prefetches, row.prefetches) << row.text;
        EXPECT_EQ(cost.total.value, static_cast<double>(row.total)) << row.text;
        EXPECT_NEAR(support::value(row.settings, "hbm_bandwidth", Fidelity::cycle), row.gigabytes_per_second * 1e9,
                    0.0051e9)
            << row.text;
    }
}

TEST(DplenaCycle, runs_the_table_three_point_with_the_corrected_bus_as_the_reference_does) {
    EXPECT_EQ(support::value({{"hbm_bus", "corrected"}}, "cycles_memory", Fidelity::cycle), 370308.0);
    EXPECT_EQ(support::value({{"hbm_bus", "corrected"}}, "cycles_total", Fidelity::cycle), 965964.0);
}

}  // namespace
}  // namespace cycle_test
