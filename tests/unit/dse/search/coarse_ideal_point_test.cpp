#include "dse/search/ideal_point.hpp"

#include "dse/space/evaluation.hpp"
#include "tests/unit/dse/made_up_space.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace pimdse::dse::search::coarse_ideal_point_test {
namespace {

using dse::testing::made_up_machine;
using dse::testing::up_to;
using models::Fidelity;

space::Space space_with(std::vector<std::string> const& conditions) {
    return dse::testing::made_up_space(
        {made_up_machine({.rows = up_to(40), .depth = {1, 5, 10, 20, 40}, .modes = 3}, conditions)});
}

/// From the result or without it, it is the same, and no result of the cycle level is better.
TEST(CoarseIdealPoint, is_the_same_with_and_without_the_result_and_never_above_the_cycle_level) {
    for (std::vector<std::string> const& conditions :
         {std::vector<std::string>{}, {"latency <= 20 s"}, {"rows < 30", "energy <= 100 J", "latency >= 8 s"}}) {
        auto const space = space_with(conditions);
        int pruned = 0, hopeful = 0;
        for (std::uint64_t id = 0; id < space.size(); ++id) {
            auto const coarse = space::evaluate(space, {space::PointId{id}, Fidelity::analytic});
            auto const fine = space::evaluate(space, {space::PointId{id}, Fidelity::cycle});
            auto const ideal = coarse_ideal_point(space, coarse), alone = coarse_ideal_point(space, space::PointId{id});
            ASSERT_EQ(ideal.has_value(), alone.has_value()) << id;
            auto const* metrics = std::get_if<models::Metrics>(&fine.outcome);
            ASSERT_TRUE(ideal || metrics == nullptr) << "point " << id << " is feasible at cycle level";
            pruned += ideal ? 0 : 1;
            hopeful += ideal && !std::holds_alternative<models::Metrics>(coarse.outcome) ? 1 : 0;
            if (!ideal) continue;
            ASSERT_EQ(ideal->lower, alone->lower);
            for (std::size_t i = 0; metrics != nullptr && i < 2; ++i)
                ASSERT_LE(ideal->lower[i], (*metrics)[i].value) << "point " << id;
        }
        EXPECT_GT(pruned, 0);
        EXPECT_EQ(hopeful > 0, !conditions.empty()) << "some miss a condition by their value and not by their bounds";
    }
}

TEST(CoarseIdealPoint, of_a_point_that_failed_may_be_anything) {
    auto const space = space_with({});
    auto const ideal = coarse_ideal_point(space, space::Result{{}, models::Defect{"bug"}, 0.0, 0});
    ASSERT_TRUE(ideal.has_value());
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(ideal->lower[i], -std::numeric_limits<double>::infinity());
}

TEST(CoarseIdealPoint, of_a_point_that_breaks_a_rule_of_its_architecture_is_none) {
    auto const space = space_with({"latency <= 20 s"});
    EXPECT_FALSE(coarse_ideal_point(space, space::Result{{}, models::Infeasible{"fits", "too large"}, 0.0, 0}));
    EXPECT_FALSE(coarse_ideal_point(space, space::Result{{}, models::Infeasible{"scenario", "chat: no"}, 0.0, 0}));
}

}  // namespace
}  // namespace pimdse::dse::search::coarse_ideal_point_test
