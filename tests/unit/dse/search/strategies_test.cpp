#include "dse/search/strategy.hpp"

#include "tests/unit/dse/made_up_space.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <limits>

namespace pimdse::dse::search::strategies_test {
namespace {

using ::testing::HasSubstr;

space::Space space_with(space::SearchSettings const& search) {
    auto space =
        dse::testing::made_up_space({dse::testing::made_up_machine({.rows = dse::testing::up_to(5), .ordered = 18})});
    space.set_search(search);
    return space;
}

std::string refusal(space::SearchSettings const& search) {
    auto const space = space_with(search);
    return refusal_by([&] { (void)make_strategy(space); });
}

TEST(Strategies, of_an_unknown_name_are_refused_with_the_one_that_is_meant) {
    for (auto const& [said, meant] : std::vector<std::pair<std::string, std::string>>{
             {"swep", "sweep"}, {"lhs", "sobol"}, {"latin_hypercub", "sobol"}, {"genetic", "nsga2"}, {"grid", "sweep"}})
        EXPECT_THAT(refusal({.strategy = said}), HasSubstr("Did you mean '" + meant + "'?")) << said;
    EXPECT_THAT(refusal({.strategy = ""}), HasSubstr("unknown strategy ''"));
    for (auto const& known : space::strategies()) EXPECT_NO_THROW(space::check_strategy(known.name));
}

TEST(Strategies, take_an_epsilon_that_is_a_share_and_only_where_bounds_close_points) {
    for (double const epsilon : {-0.1, 1.0, 2.0, std::nan(""), std::numeric_limits<double>::infinity()})
        EXPECT_THAT(refusal({.strategy = "ladder", .epsilon = epsilon}), says("epsilon-share")) << epsilon;
    EXPECT_THAT(refusal({.strategy = "sweep", .epsilon = 0.1}), says("epsilon-goes-strategy-ladder"));
    EXPECT_THAT(refusal({.strategy = "sweep", .audit = 3}), says("audit-goes-strategy-ladder"));
}

TEST(Strategies, keep_fronts_of_sweeps_only) {
    for (auto const& strategy : space::strategies()) {
        auto const said = refusal({.strategy = std::string(strategy.name), .budget = 10, .keep = space::Keep::front});
        EXPECT_EQ(said.empty(), strategy.name == "sweep") << strategy.name << ": " << said;
    }
}

TEST(Strategies, that_remember_what_they_asked_for_are_refused_a_budget_beyond_memory) {
    constexpr std::uint64_t max = std::uint64_t{1} << 25;
    EXPECT_EQ(refusal({.strategy = "sobol", .budget = 1000}), "");
    EXPECT_THAT(refusal({.strategy = "sobol", .budget = max + 1}), says("most-would-request"));
    EXPECT_THAT(refusal({.strategy = "sobol"}), HasSubstr("Use a smaller --budget")) << "all of the space";
    EXPECT_EQ(refusal({.strategy = "random"}), "");
}

TEST(Strategies, end_where_they_say_and_else_at_the_fidelity_that_is_asked) {
    using models::Fidelity;
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
        EXPECT_EQ(space::final_fidelity({.strategy = "random", .fidelity = fidelity}), fidelity);
        EXPECT_EQ(space::final_fidelity({.strategy = "nobody's", .fidelity = fidelity}), fidelity);
        EXPECT_EQ(space::final_fidelity({.strategy = "ladder", .fidelity = fidelity}), Fidelity::cycle);
    }
}

/// Of points of which nothing is known before, all are asked for.
TEST(Strategies, expect_the_time_that_points_of_each_machine_took) {
    auto space =
        dse::testing::made_up_space({dse::testing::made_up_machine({.rows = dse::testing::up_to(100)}),
                                     dse::testing::made_up_machine({.rows = dse::testing::up_to(40)}, {}, "other")},
                                    1);
    space.set_search({.strategy = "best"});
    auto const strategy = make_strategy(space);
    std::vector<double> const cost{0.001, 0.1};
    std::vector<double> left{100.0, 40.0};
    while (true) {
        auto const batch = strategy->ask(7);
        if (batch.empty()) break;
        for (std::uint64_t i = 0; i < batch.size(); ++i) --left[space.machine_of(batch.task(i).point)];
        for (std::uint64_t i = 0; i < batch.size(); ++i) {
            auto const machine = space.machine_of(batch.task(i).point);
            strategy->tell({batch.task(i), models::Infeasible{"made_up", "for tests"}, cost[machine], 0});
        }
        double const wanted = cost[0] * left[0] + cost[1] * left[1];
        EXPECT_NEAR(strategy->seconds_left()->least, wanted, 1e-9);
        EXPECT_NEAR(strategy->seconds_left()->most, wanted, 1e-9);
    }
    EXPECT_EQ(left, (std::vector<double>{0.0, 0.0}));
    EXPECT_EQ(strategy->seconds_left()->most, 0.0);
    space.set_search({.strategy = "sweep"});
    EXPECT_FALSE(make_strategy(space)->seconds_left()) << "points before tell of those to come";
}

}  // namespace
}  // namespace pimdse::dse::search::strategies_test
