#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include "models/economy/economy.hpp"

namespace pimdse::models::economy::test::laws_test {
namespace {

constexpr double wafer = 0.3;

/// Square dies of which all four corners are on the wafer, with a grid that begins at (x, y).
int whole_dies(double side, double x, double y) {
    double const radius = wafer / 2.0;
    int const reach = static_cast<int>(radius / side) + 2;
    int count = 0;
    for (int column = -reach; column <= reach; ++column) {
        for (int row = -reach; row <= reach; ++row) {
            double const left = x + column * side, bottom = y + row * side;
            bool on = true;
            for (double const cx : {left, left + side})
                for (double const cy : {bottom, bottom + side}) on = on && std::hypot(cx, cy) <= radius;
            count += on ? 1 : 0;
        }
    }
    return count;
}

/// The best of several places of the grid.
int best_whole_dies(double side) {
    int best = 0;
    constexpr int places = 8;
    for (int i = 0; i < places; ++i)
        for (int j = 0; j < places; ++j) best = std::max(best, whole_dies(side, side * i / places, side * j / places));
    return best;
}

/// docs/cost.md states these errors; the formula is always below.
TEST(DiesPerWafer, are_fewer_than_one_counts_by_a_few_percent) {
    struct UpTo {
        double mm2, error;
    };
    for (auto const [mm2, error] : {UpTo{5.0, 0.02}, UpTo{18.96, 0.02}, UpTo{50.0, 0.02}, UpTo{100.0, 0.04},
                                    UpTo{200.0, 0.04}, UpTo{400.0, 0.07}, UpTo{600.0, 0.07}, UpTo{858.0, 0.13}}) {
        auto const share = dies_per_wafer(sim::Area{mm2 * 1e-6}, wafer) / best_whole_dies(std::sqrt(mm2 * 1e-6));
        EXPECT_LE(share, 1.0) << mm2;
        EXPECT_GE(share, 1.0 - error) << mm2;
    }
}

TEST(Yield, of_unclustered_defects_is_that_of_Poisson) {
    for (double const mm2 : {1.0, 100.0, 858.0}) {
        sim::Area const die{mm2 * 1e-6};
        constexpr double defects = 1500.0;
        EXPECT_NEAR(yield_of(die, defects, 1e9), std::exp(-die.si * defects), 1e-6);
        EXPECT_GT(yield_of(die, defects, 3.0), std::exp(-die.si * defects)) << "clusters hit fewer dies";
        EXPECT_DOUBLE_EQ(yield_of(die, 0.0, 3.0), 1.0);
    }
}

/// Dies with as many defects as a Poisson law has whose rate is drawn from a gamma law for each die.
TEST(Yield, is_that_of_drawn_defects) {
    std::mt19937 random(7);
    constexpr double mean = 0.9, cluster = 3.0;
    constexpr int dies = 200'000;
    std::gamma_distribution<double> rate(cluster, mean / cluster);
    int good = 0;
    for (int i = 0; i < dies; ++i) good += std::poisson_distribution<int>(rate(random))(random) == 0 ? 1 : 0;
    EXPECT_NEAR(yield_of(sim::Area{1.0}, mean, cluster), static_cast<double>(good) / dies, 0.005);
}

TEST(WriteOff, ends_with_an_endless_life) {
    EXPECT_EQ(write_off_rate(sim::Time{std::numeric_limits<double>::infinity()}, 0.5), 0.0);
    EXPECT_DOUBLE_EQ(write_off_rate(sim::Time{100.0}, 0.5) * 50.0, 1.0);
    EXPECT_EQ(idle_share(1.0), 0.0);
    EXPECT_DOUBLE_EQ(idle_share(0.25), 3.0);
    EXPECT_DOUBLE_EQ(package_by_share(71.0, 0.29), 29.0);
}

}  // namespace
}  // namespace pimdse::models::economy::test::laws_test
