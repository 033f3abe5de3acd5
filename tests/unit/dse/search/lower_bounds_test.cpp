#include "dse/search/ideal_point.hpp"

#include "synthetic.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <limits>

namespace pimdse::dse::search::lower_bounds_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

IdealPoint ideal(Values lower, std::uint8_t calibrated, std::uint8_t exact = 0) { return {lower, calibrated, exact}; }

TEST(LowerBounds, are_given_back_as_they_were_added) {
    LowerBounds lower_bounds(3, 0.0);
    lower_bounds.add(ideal({1.0, -2.0, 3.0}, 0b101, 0b010));
    lower_bounds.add(ideal({-infinity, 5.0, 0.0}, 0b010));
    EXPECT_EQ(lower_bounds.of(0), (Values{1.0, -2.0, 3.0}));
    EXPECT_EQ(lower_bounds.of(1), (Values{-infinity, 5.0, 0.0}));
    EXPECT_EQ(lower_bounds.given(1, 1), 5.0);
    EXPECT_EQ(lower_bounds.all(), (std::vector{1.0, -2.0, 3.0, -infinity, 5.0, 0.0}));
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(lower_bounds.is_calibrated(0, i), i != 1);
        EXPECT_EQ(lower_bounds.is_calibrated(1, i), i == 1);
    }
}

TEST(LowerBounds, that_are_calibrated_are_widened_and_no_others) {
    LowerBounds lower_bounds(2, 0.0);
    lower_bounds.add(ideal({10.0, 10.0}, 0b01));
    lower_bounds.add(ideal({-10.0, -10.0}, 0b11));
    lower_bounds.widen(0, 10.0, 8.0);
    EXPECT_LE(lower_bounds.of(0)[0], 8.0) << "the result is not below its lower bound any more";
    EXPECT_GT(lower_bounds.of(0)[0], 7.99);
    EXPECT_EQ(lower_bounds.of(0)[1], 10.0);
    EXPECT_LT(lower_bounds.of(1)[0], -10.0);
    EXPECT_EQ(lower_bounds.of(1)[1], -10.0) << "the other objective is not concerned";
    EXPECT_EQ(lower_bounds.given(0, 0), 10.0);
    EXPECT_EQ(lower_bounds.all()[0], lower_bounds.of(0)[0]);
}

TEST(LowerBounds, are_widened_far_enough_for_every_result_and_twice_as_far_as_before) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        testing::Rng rng(seed);
        auto const number = [&] {
            double const size = std::ldexp(static_cast<double>(1 + rng.below(1000)), static_cast<int>(rng.below(80)));
            return rng.one_in(9) ? 0.0 : rng.one_in(2) ? -size : size;
        };
        LowerBounds lower_bounds(1, 0.0);
        double before = 0.0;
        for (LowerBounds::Item item = 0; item < 12; ++item) {
            double const lower = number();
            lower_bounds.add(ideal({lower}, 1));
            double const now = lower_bounds.of(item)[0],
                         value = rng.one_in(5) ? -infinity : now - std::abs(number()) - 1.0;
            if (!(value < now)) continue;
            lower_bounds.widen(0, lower, value);
            EXPECT_LE(lower_bounds.of(item)[0], value) << "lower bound " << lower << " of seed " << seed;
            EXPECT_GE(lower_bounds.slack(0), 2.0 * before);
            EXPECT_FALSE(std::isnan(lower_bounds.slack(0)));
            before = lower_bounds.slack(0);
        }
    }
}

TEST(LowerBounds, of_nothing_are_as_good_as_can_be) {
    LowerBounds lower_bounds(1, 0.0);
    lower_bounds.add(ideal({0.0}, 1));
    lower_bounds.add(ideal({7.0}, 1));
    lower_bounds.widen(0, 0.0, -1.0);
    EXPECT_EQ(lower_bounds.slack(0), infinity) << "no share of nothing is enough";
    EXPECT_EQ(lower_bounds.of(0)[0], -infinity);
    EXPECT_EQ(lower_bounds.of(1)[0], -infinity);
}

TEST(LowerBounds, are_looser_by_a_share_unless_they_are_exact) {
    LowerBounds lower_bounds(3, 0.0);
    lower_bounds.add(ideal({10.0, -10.0, 10.0}, 0, 0b100));
    auto const looser = lower_bounds.looser(0, 0.1);
    EXPECT_DOUBLE_EQ(looser[0], 9.0);
    EXPECT_DOUBLE_EQ(looser[1], -11.0);
    EXPECT_EQ(looser[2], 10.0);
}

TEST(LowerBounds, reach_as_far_as_epsilon_lets_them) {
    LowerBounds const exact(2, 0.0), near(2, 0.25);
    EXPECT_EQ(exact.reach({4.0, -4.0}), (Values{4.0, -4.0}));
    auto const reach = near.reach({4.0, -4.0});
    EXPECT_DOUBLE_EQ(reach[0], 5.0);
    EXPECT_DOUBLE_EQ(reach[1], -3.2) << "of what is maximised, a member may have as much less as makes it 1.25 times";
    EXPECT_EQ(near.reach({-infinity, 0.0}), (Values{-infinity, 0.0}));
}

}  // namespace
}  // namespace pimdse::dse::search::lower_bounds_test
