#include "models/contract/constant_slopes.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::constant_slopes_test {
namespace {

ConstantSlope between(char const* constant, char const* metric) {
    return slope_by_dimension(sim::parse_unit(constant).dimension, sim::parse_unit(metric).dimension);
}

TEST(ConstantSlopes, OfEnergiesAndPowers) {
    for (auto const* constant : {"pJ/bit", "mW", "mW/mm2", "pJ/bit/mm"}) {
        EXPECT_EQ(between(constant, "J"), Slope::up) << constant;
        EXPECT_EQ(between(constant, "W"), Slope::up) << constant;
        EXPECT_EQ(between(constant, "USD"), Slope::up) << constant;
        EXPECT_EQ(between(constant, "1/J"), Slope::down) << constant;
        EXPECT_EQ(between(constant, "s"), Slope::flat) << constant;
        EXPECT_EQ(between(constant, "m2"), Slope::flat) << constant;
        EXPECT_EQ(between(constant, "1"), std::nullopt) << constant;
    }
}

TEST(ConstantSlopes, OfAreasAndMoney) {
    EXPECT_EQ(between("um2/bit", "m2"), Slope::up);
    EXPECT_EQ(between("um2/bit", "J"), Slope::up);
    EXPECT_EQ(between("um2/bit", "s"), Slope::flat);
    EXPECT_EQ(between("USD/GiB", "USD"), Slope::up);
    EXPECT_EQ(between("USD/GiB", "kg"), Slope::flat);
    EXPECT_EQ(between("gCO2e/kWh", "kg"), Slope::up);
    EXPECT_EQ(between("gCO2e/kWh", "J"), Slope::flat);
}

TEST(ConstantSlopes, OfOtherNumbersAreNotKnown) {
    for (auto const* constant : {"ns", "GB/s", "1", "MiB", "mm2/nJ", "1/J"})
        for (auto const* metric : {"s", "J", "m2", "USD"})
            EXPECT_EQ(between(constant, metric), std::nullopt) << constant;
}

TEST(ConstantSlopes, OfEconomyReachCostsOnly) {
    auto const number = sim::parse_unit("1").dimension;
    EXPECT_EQ(slope_in_economy("cluster", number, sim::parse_unit("J").dimension), Slope::flat);
    EXPECT_EQ(slope_in_economy("cluster", number, sim::parse_unit("USD").dimension), std::nullopt);
    EXPECT_EQ(slope_in_economy("pue", number, sim::parse_unit("USD").dimension), Slope::up);
    EXPECT_EQ(slope_in_economy("lifetime", sim::parse_unit("s").dimension, sim::parse_unit("kg").dimension),
              Slope::down);
    Metric const cost{"cost", "USD", "", Sense::minimize};
    EXPECT_EQ(slope_of("economy.5nm_defects", {.unit = "1/mm2"}, cost, {}), Slope::up);
    EXPECT_EQ(slope_of("sram_leakage", {.unit = "mW/MiB"}, cost, {"sram_leakage"}), std::nullopt);
}

TEST(ConstantSlopes, OfPlainNumbersAreThoseOfWhatTheyActAs) {
    Metric const energy{"energy", "J", "", Sense::minimize}, area{"area", "m2", "", Sense::minimize};
    Constant const share{.unit = "1", .acts_as = "W"}, efficiency{.unit = "1", .acts_as = "1/mm2"};
    EXPECT_EQ(slope_of("waiting_share", share, energy, {}), Slope::up);
    EXPECT_EQ(slope_of("waiting_share", share, area, {}), Slope::flat);
    EXPECT_EQ(slope_of("sram_efficiency", efficiency, energy, {}), Slope::down);
    EXPECT_EQ(slope_of("sram_efficiency", efficiency, area, {}), Slope::down);
    EXPECT_EQ(slope_of("sram_efficiency", {.unit = "1"}, area, {}), std::nullopt);
    EXPECT_EQ(slope_of("sram_efficiency", efficiency, area, {"sram_efficiency"}), std::nullopt);
}

TEST(ConstantSlopes, AreJoinedWhereBothReachAMetric) {
    EXPECT_EQ(joined(Slope::up, Slope::flat), Slope::up);
    EXPECT_EQ(joined(Slope::flat, Slope::down), Slope::down);
    EXPECT_EQ(joined(Slope::up, Slope::down), std::nullopt);
    EXPECT_EQ(joined(std::nullopt, Slope::flat), std::nullopt);
    EXPECT_EQ(opposite(Slope::up), Slope::down);
    EXPECT_EQ(opposite(Slope::flat), Slope::flat);
}

}  // namespace
}  // namespace pimdse::models::constant_slopes_test
