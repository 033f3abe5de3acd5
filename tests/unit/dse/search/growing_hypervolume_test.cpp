#include "dse/search/hypervolume.hpp"

#include "dse/search/hypervolume.hpp"
#include "sim/base/check.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <random>
#include <vector>

namespace pimdse::dse::search::growing_hypervolume_test {
namespace {

/// Coordinates on a grid now and then, so that there are ties; some on or beyond the reference.
double coordinate(std::mt19937_64& random) {
    if (random() % 3 == 0) return static_cast<double>(random() % 12) / 10.0;
    return std::uniform_real_distribution<double>(-0.5, 1.1)(random);
}

TEST(GrowingHypervolume, is_at_every_step_that_of_the_whole_set) {
    std::mt19937_64 random(11);
    for (std::size_t objectives = 1; objectives <= 3; ++objectives) {
        std::vector<double> const reference(objectives, 1.0);
        for (int round = 0; round < 30; ++round) {
            GrowingHypervolume growing(objectives);
            std::vector<double> points;
            for (int k = 0; k < 150; ++k) {
                std::vector<double> point;
                for (std::size_t i = 0; i < objectives; ++i) point.push_back(coordinate(random));
                growing.add(point);
                points.insert(points.end(), point.begin(), point.end());
                if (random() % 4 != 0) continue;
                double const whole = hypervolume(points, reference);
                ASSERT_NEAR(growing.volume(), whole, 1e-13 * (1.0 + whole))
                    << objectives << " objectives, round " << round << ", step " << k;
            }
        }
    }
}

TEST(GrowingHypervolume, of_nothing_is_zero_and_stays_when_nothing_comes) {
    GrowingHypervolume growing(3);
    EXPECT_EQ(growing.volume(), 0.0);
    growing.add(std::vector{std::nan(""), 0.0, 0.0});
    EXPECT_EQ(growing.volume(), 0.0);
    growing.add(std::vector{0.5, 0.5, 0.5});
    EXPECT_DOUBLE_EQ(growing.volume(), 0.125);
    EXPECT_DOUBLE_EQ(growing.volume(), 0.125);
}

TEST(GrowingHypervolume, has_one_to_three_objectives) {
    EXPECT_THROW(GrowingHypervolume(0), sim::ContractViolation);
    EXPECT_THROW(GrowingHypervolume(4), sim::ContractViolation);
    GrowingHypervolume plane(2);
    EXPECT_THROW(plane.add(std::vector{0.5}), sim::ContractViolation);
}

}  // namespace
}  // namespace pimdse::dse::search::growing_hypervolume_test
