#include "dse/cli/run.hpp"

#include "../made_up_space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::dse::cli::remarks_test {
namespace {

using ::testing::HasSubstr;

std::string remarks(std::vector<space::Machine> machines, std::uint64_t budget, std::string const& strategy = "sweep") {
    space::Space::Parts parts;
    parts.machines = std::move(machines);
    parts.objectives = {{0, models::Sense::minimize}};
    parts.search.strategy = strategy;
    parts.search.budget = budget;
    ::testing::internal::CaptureStderr();
    print_remarks(space::Space(std::move(parts)));
    return ::testing::internal::GetCapturedStderr();
}

space::Machine small(std::string const& name = "made_up") {
    return testing::made_up_machine({.rows = testing::up_to(4), .depth = testing::up_to(3), .modes = 2}, {}, name);
}

/// The values that the first points have of each parameter, by looking at them.
std::string seen_by_hand(space::Machine const& machine, std::uint64_t points) {
    std::string text;
    for (std::size_t p = 0; p < machine.axes.size(); ++p) {
        std::vector<models::Value> seen, point;
        for (std::uint64_t id = 0; id < points; ++id) {
            machine.decode(id, point);
            if (std::ranges::find(seen, point[p]) == seen.end()) seen.push_back(point[p]);
        }
        if (seen.size() < machine.axes[p].size())
            text += fmt::format("{}{} {} of {} values", text.empty() ? "" : ", ", machine.parameters()[p].name,
                                seen.size(), machine.axes[p].size());
    }
    return text;
}

TEST(Remarks, on_a_sweep_count_the_values_that_it_sees) {
    for (std::uint64_t budget = 1; budget < 24; ++budget) {
        auto const unseen = seen_by_hand(small(), budget);
        if (unseen.empty()) {
            EXPECT_EQ(remarks({small()}, budget), "") << budget;
        } else {
            EXPECT_THAT(remarks({small()}, budget), HasSubstr("(" + unseen + ")")) << budget;
        }
    }
    EXPECT_EQ(remarks({small()}, 24), "");
    EXPECT_EQ(remarks({small()}, 0), "") << "all of it";
    EXPECT_EQ(remarks({small()}, 5, "sobol"), "");
}

TEST(Remarks, on_a_sweep_name_machines_that_it_does_not_reach) {
    auto const of = [](std::uint64_t budget) { return remarks({small("one"), small("two"), small("three")}, budget); };
    EXPECT_THAT(of(24), HasSubstr("(nothing of two, nothing of three)"));
    EXPECT_THAT(of(25), HasSubstr("(" + seen_by_hand(small(), 1) + ", nothing of three)"));
    EXPECT_THAT(of(48), HasSubstr("(nothing of three)"));
    EXPECT_EQ(of(71), "") << "every value of every machine";
}

TEST(Remarks, on_points_drawn_at_random_name_machines_of_which_there_may_be_none) {
    auto const large =
        testing::made_up_machine({.rows = testing::up_to(100), .depth = testing::up_to(60)}, {}, "large");
    auto const of = [&](std::uint64_t budget, std::string const& strategy) {
        return remarks({small("few"), large}, budget, strategy);
    };
    auto const points = small().size() + large.size();
    auto const enough = (points + small().size() - 1) / small().size();
    for (auto const* strategy : {"random", "sobol"}) {
        EXPECT_THAT(of(enough - 1, strategy), HasSubstr("there may be none of few with 24 points")) << strategy;
        EXPECT_EQ(of(enough, strategy), "") << strategy;
    }
    EXPECT_EQ(of(enough - 1, "nsga2"), "");
    EXPECT_EQ(remarks({large}, 1, "random"), "");
}

// 20! orderings are 2^61 points: with seven rows ids come near 2^64.
TEST(Remarks, on_a_sweep_of_a_huge_space_do_not_overflow) {
    auto const huge = [](std::uint64_t budget) {
        return remarks({testing::made_up_machine({.rows = testing::up_to(7), .ordered = 20})}, budget);
    };
    constexpr std::uint64_t orderings = 2432902008176640000;
    EXPECT_THAT(huge(1), HasSubstr("(rows 1 of 7 values, order 1 of 2432902008176640000 values)"));
    EXPECT_THAT(huge(5 * orderings), HasSubstr("(rows 5 of 7 values)"));
    EXPECT_THAT(huge(6 * orderings), HasSubstr("(rows 6 of 7 values)"));
    EXPECT_EQ(huge(6 * orderings + 1), "");
    EXPECT_EQ(huge(7 * orderings - 1), "");
}

}  // namespace
}  // namespace pimdse::dse::cli::remarks_test
