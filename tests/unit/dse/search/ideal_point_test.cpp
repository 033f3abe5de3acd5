#include "dse/search/ideal_point.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <limits>

namespace pimdse::dse::search::ideal_point_test {
namespace {

using models::Bound;
using models::Estimate;
using models::Sense;

double lower_of(Estimate const& estimate, Sense better = Sense::minimize) {
    space::Objective const objective{0, better};
    return ideal_point_of({estimate}, {&objective, 1}).lower[0];
}

TEST(IdealPoint, is_the_lower_bound_of_a_minimised_objective_and_the_upper_bound_of_a_maximised_one) {
    EXPECT_NEAR(lower_of(Estimate::within(5.0, 4.0, 7.0, Bound::proved)), 4.0, 1e-8);
    EXPECT_LT(lower_of(Estimate::within(5.0, 4.0, 7.0, Bound::proved)), 4.0);
    EXPECT_NEAR(lower_of(Estimate::within(5.0, 4.0, 7.0, Bound::proved), Sense::maximize), -7.0, 1e-8);
    EXPECT_LT(lower_of(Estimate::within(5.0, 4.0, 7.0, Bound::proved), Sense::maximize), -7.0);
}

TEST(IdealPoint, keeps_exact_numbers_bit_for_bit) {
    EXPECT_EQ(lower_of(Estimate::exact(0.1)), 0.1);
    EXPECT_EQ(lower_of(Estimate::exact(0.1), Sense::maximize), -0.1);
}

TEST(IdealPoint, knows_nothing_where_nothing_stands_behind_an_end) {
    constexpr double nothing = -std::numeric_limits<double>::infinity();
    EXPECT_EQ(lower_of(Estimate::unbounded(3.0)), nothing);
    EXPECT_EQ(lower_of(Estimate::within(3.0, 2.0, 4.0, {Bound::proved, Bound::none}), Sense::maximize), nothing);
    EXPECT_EQ(lower_of(Estimate::within(3.0, std::nan(""), 4.0, Bound::proved)), nothing);
    EXPECT_EQ(unknown_ideal_point().lower[5], nothing);
}

TEST(IdealPoint, says_which_ends_are_calibrated) {
    std::array const objectives{space::Objective{0, Sense::minimize}, space::Objective{1, Sense::maximize},
                                space::Objective{2, Sense::minimize}};
    auto const ideal = ideal_point_of({Estimate::within(3.0, 2.0, 4.0, {Bound::calibrated, Bound::proved}),
                                       Estimate::within(3.0, 2.0, 4.0, {Bound::calibrated, Bound::proved}),
                                       Estimate::within(3.0, 2.0, 4.0, Bound::proved)},
                                      objectives);
    EXPECT_TRUE(ideal.is_calibrated(0));
    EXPECT_FALSE(ideal.is_calibrated(1));
    EXPECT_FALSE(ideal.is_calibrated(2));
}

TEST(IdealPoint, is_lower_when_it_is_widened) {
    EXPECT_DOUBLE_EQ(widened(10.0, 0.25), 7.5);
    EXPECT_DOUBLE_EQ(widened(-10.0, 0.25), -12.5);
    EXPECT_EQ(widened(0.0, std::numeric_limits<double>::infinity()), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace pimdse::dse::search::ideal_point_test
