#include "dse/uncertain/ends.hpp"

#include "tests/unit/dse/uncertain/uncertain_space.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace pimdse::dse::uncertain::movements_test {
namespace {

/// What is stated of a space of dplena with one uncertain constant; `more`: further lines after the objectives.
StatedMovements stated(std::string const& range, std::string const& objectives, std::string const& more = "") {
    auto text = testing::small_text(range + "\n");
    auto const line = std::string(R"(objectives = ["latency", "area", "energy"])");
    text.replace(text.find(line), line.size(), "objectives = [" + objectives + "]\n" + more);
    auto const space = testing::small_space(text);
    return stated_movements(space, 0, testing::ranges_of(space, 2).constants);
}

std::string const doubtful_leakage = R"("dplena.sram_leakage" = { times = 4 })";
std::string const area = R"("dplena.sram_area_per_bit" = { times = 2 })";
std::string const bandwidth = R"("dplena.host_link" = { times = 2 })";
std::string const share = R"("dplena.waiting_share" = { normal = [0.1, 0.02] })";

constexpr ConstantSlope none = Slope::flat, up = Slope::up, down = Slope::down, unknown;
using Moves = std::vector<ConstantSlope>;

TEST(StatedMovements, FollowFromWhatAConstantIs) {
    auto const energies = stated(doubtful_leakage, R"("latency", "area", "energy", "power")");
    EXPECT_TRUE(energies.unknown.empty());
    ASSERT_EQ(energies.movements.constants.size(), 1U);
    EXPECT_EQ(energies.movements.of_constant[0], (Moves{none, none, up, up, up}));
    auto const areas = stated(area, R"("latency", "area", "energy")");
    EXPECT_TRUE(areas.unknown.empty());
    EXPECT_EQ(areas.movements.of_constant[0], (Moves{none, up, up, up}));
    EXPECT_TRUE(areas.movements.has_ends());
}

TEST(StatedMovements, LeaveOutConstantsThatMoveNothing) {
    auto const costs = stated(R"("economy.7nm_carbon" = { times = 2 })", R"("latency", "cost")");
    EXPECT_TRUE(costs.unknown.empty());
    EXPECT_TRUE(costs.movements.constants.empty());
}

TEST(StatedMovements, OfSharesAreThoseOfWhatTheyActAs) {
    auto const shares = stated(share, R"("latency", "area", "energy")");
    EXPECT_TRUE(shares.unknown.empty());
    EXPECT_EQ(shares.movements.of_constant[0], (Moves{none, none, up, up}));
}

TEST(StatedMovements, OfRowsAreThoseOfWhatTheyReplace) {
    auto const of_row = [](std::string const& row) {
        auto text = testing::small_text("\"technology." + row + "\" = { times = 2 }\n");
        auto const parameters = text.find("[parameters]");
        text.insert(parameters, "[assumptions]\nconstants = \"technology\"\n");
        auto const space = testing::small_space(text);
        return stated_movements(space, 0, testing::ranges_of(space, 2).constants);
    };
    auto const waiting = of_row("waiting_share"), leakage = of_row("sram_leakage");
    EXPECT_TRUE(waiting.unknown.empty());
    EXPECT_EQ(waiting.movements.of_constant[0], (Moves{none, none, up, up}));
    EXPECT_EQ(leakage.movements.of_constant, waiting.movements.of_constant);
}

TEST(StatedMovements, KnowNothingOfOtherNumbers) {
    auto const bandwidths = stated(bandwidth, R"("latency", "energy")");
    EXPECT_EQ(bandwidths.unknown.size(), 1U);
    EXPECT_FALSE(bandwidths.movements.has_ends());
    auto const parameters = stated(R"("dplena.steps" = { low = 1, high = 4 })", R"("latency", "energy")", "");
    EXPECT_EQ(parameters.unknown.size(), 1U);
}

TEST(StatedMovements, OfFormulasFollowFromTheirMetrics) {
    EXPECT_EQ(
        stated(doubtful_leakage, R"("minimize latency * energy", "minimize area / energy")").movements.of_constant[0],
        (Moves{up, down, up}));
    EXPECT_EQ(stated(doubtful_leakage, R"("minimize energy - power * latency")").unknown.size(), 1U);
    EXPECT_EQ(stated(doubtful_leakage, R"("minimize latency / area")").movements.of_constant[0], (Moves{none, up}))
        << "a limit of power may refuse a design";
}

TEST(StatedMovements, OfLimitsFollowFromTheirMetrics) {
    auto const limited = [&](std::string const& limit) {
        auto const found = stated(doubtful_leakage, R"("latency", "area")",
                                  "[[constraint]]\nname = \"limit\"\nexpr = \"" + limit + "\"\n");
        return found.movements.constants.empty() ? none : found.movements.of_constant[0].back();
    };
    EXPECT_EQ(limited("energy <= 1 mJ"), up);
    EXPECT_EQ(limited("1 mJ >= energy"), up);
    EXPECT_EQ(limited("energy >= 1 uJ"), unknown) << "and a limit of power the other way";
    EXPECT_EQ(limited("not energy >= 1 uJ"), up);
    EXPECT_EQ(limited("energy <= 1 mJ and power <= 3 W"), up);
    EXPECT_EQ(limited("energy <= 1 mJ or energy >= 1 J"), unknown);
    EXPECT_EQ(limited("area <= 30 mm2"), up) << "of power";
}

}  // namespace
}  // namespace pimdse::dse::uncertain::movements_test
