#include "dse/space/limit_crossings.hpp"

#include "dse/space/evaluation.hpp"
#include "tests/unit/dse/made_up_space.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::space::limit_crossings_test {
namespace {

using models::Fidelity;

struct Told {
    std::size_t analytic = 0, cycle = 0;
};

/// Feasible points of which a limit is crossed, by fidelity; every crossing must be one by the intervals themselves.
Told told_of(Space const& space, double limit) {
    auto const columns = space.columns();
    LimitCrossings const limits(columns);
    EXPECT_FALSE(limits.empty());
    Told told;
    std::vector<models::Value> point;
    for (std::uint64_t id = 0; id < space.size(); ++id) {
        for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
            auto const result = space::evaluate(space, {space::PointId{id}, fidelity});
            auto const* metrics = std::get_if<models::Metrics>(&result.outcome);
            if (metrics == nullptr) continue;
            columns.decode(space::PointId{id}, point);
            auto const found = limits.of(space::PointId{id}, point, *metrics);
            EXPECT_EQ(found.size(), (*metrics)[0].upper > limit ? 1U : 0U) << id;
            for (auto const& one : found)
                EXPECT_EQ(text_of(one), "meets latency <= 30 s by its estimate, not by its upper bound");
            (fidelity == Fidelity::analytic ? told.analytic : told.cycle) += found.size();
        }
    }
    return told;
}

TEST(LimitCrossings, are_those_of_intervals_that_reach_beyond_a_limit) {
    auto const space = testing::made_up_space({testing::made_up_machine(
        {.rows = testing::up_to(40), .depth = testing::up_to(20)}, {"latency <= 30 s", "rows >= 2"})});
    auto const told = told_of(space, 30.0);
    EXPECT_GT(told.analytic, 5U);
    EXPECT_EQ(told.cycle, 0U) << "exact results cross nothing";
}

TEST(LimitCrossings, of_several_machines_are_of_the_conditions_of_each) {
    auto const space =
        testing::made_up_space({testing::made_up_machine({.rows = testing::up_to(40)}, {"latency <= 30 s"}, "one"),
                                testing::made_up_machine({.rows = testing::up_to(40)}, {"rows >= 2"}, "two")});
    auto const columns = space.columns();
    LimitCrossings const limits(columns);
    std::size_t first = 0, second = 0;
    std::vector<models::Value> point;
    for (std::uint64_t id = 0; id < space.size(); ++id) {
        auto const result = space::evaluate(space, {space::PointId{id}, Fidelity::analytic});
        auto const* metrics = std::get_if<models::Metrics>(&result.outcome);
        if (metrics == nullptr) continue;
        columns.decode(space::PointId{id}, point);
        (space.machine_of(space::PointId{id}) == 0 ? first : second) +=
            limits.of(space::PointId{id}, point, *metrics).size();
    }
    EXPECT_GT(first, 0U);
    EXPECT_EQ(second, 0U);
}

TEST(LimitCrossings, leave_out_what_cannot_be_read) {
    auto columns = testing::made_up_space({testing::made_up_machine({})}).columns();
    for (auto const* text : {"", "no JSON", "[]", "{}", R"({"constraints": 3})",
                             R"({"constraints": [{"name": "a", "expr": "gone <= 3"}, {"name": 1, "expr": 2}]})"}) {
        columns.canonical_text = text;
        EXPECT_TRUE(LimitCrossings(columns).empty()) << text;
    }
}

}  // namespace
}  // namespace pimdse::dse::space::limit_crossings_test
