#include "dse/uncertain/check.hpp"

#include "tests/support/campaign.hpp"
#include "tests/unit/dse/uncertain/uncertain_space.hpp"

#include <gtest/gtest.h>
#include <functional>
#include <string>
#include <utility>

namespace pimdse::dse::uncertain::check_test {
namespace {

/// Values that follow from the listed designs alone: no sample is too small to notice another one.
std::vector<std::pair<std::string, std::function<void(RobustFront&)>>> lies_about_listed_designs() {
    return {
        {"key", [](RobustFront& f) { f.key += "0"; }},
        {"seed", [](RobustFront& f) { ++f.seed; }},
        {"a draw less", [](RobustFront& f) { f.draws.pop_back(), f.front_sizes.pop_back(); }},
        {"a drawn value", [](RobustFront& f) { f.draws[3][1] = std::nextafter(f.draws[3][1], 1.0); }},
        {"a range", [](RobustFront& f) { f.constants[0].upper *= 2.0; }},
        {"an effect", [](RobustFront& f) { f.effective[0] = !f.effective[0]; }},
        {"a remark", [](RobustFront& f) { f.remarks.emplace_back("none"); }},
        {"directions", [](RobustFront& f) { f.not_stated.emplace_back("dplena.sram_leakage"); }},
        {"a size of a front", [](RobustFront& f) { ++f.front_sizes[2]; }},
        {"regret", [](RobustFront& f) { f.designs.back().regret += 1e-9; }},
        {"a quantile", [](RobustFront& f) { f.designs[1].quantiles[2][1] *= 1.001; }},
        {"a share", [](RobustFront& f) { --f.designs.front().draws_on_front; }},
        {"the front as assumed", [](RobustFront& f) { f.designs[0].now = !f.designs[0].now; }},
        {"a design less", [](RobustFront& f) { f.designs.erase(f.designs.begin()); }},
        {"a possible design less", [](RobustFront& f) { f.possible.pop_back(); }},
        {"a possible design more", [](RobustFront& f) { f.possible.push_back(space::PointId{1000}); }},
        {"a machine", [](RobustFront& f) { f.machines[0].draws_best[1] -= 1; }},
        {"a decision",
         [](RobustFront& f) {
             f.decisions.push_back({"dplena", "vlen", "64"});
         }},
        {"a flip", [](RobustFront& f) { f.flips.emplace_back(); }},
        {"the statement", [](RobustFront& f) { f.statement += "!"; }},
        {"excluded designs", [](RobustFront& f) { ++f.designs_excluded; }},
        {"considered designs", [](RobustFront& f) { ++f.designs_considered; }},
    };
}

TEST(DrawsCheck, NoticesWhatDoesNotFollowFromListedDesigns) {
    auto const space = testing::small_space();
    auto const store = testing::swept(space);
    auto const front = *study(space, store, testing::ranges_of(space, tests::draws(16UL, 5)), evaluate_here(space, 2));
    for (auto const& [what, lie] : lies_about_listed_designs()) {
        auto told = front;
        lie(told);
        auto const checked = check_draws(told, space, store, models::Fidelity::analytic, "small.toml", {0, 1});
        EXPECT_FALSE(checked.problems.empty()) << what;
    }
}

TEST(DrawsCheck, NoticesEveryNumberOfDesignsIfAllAreDrawnAgain) {
    auto const space = testing::small_space();
    auto const store = testing::swept(space);
    auto const front = *study(space, store, testing::ranges_of(space, tests::draws(16UL, 5)), evaluate_here(space, 2));
    std::vector<std::function<void(RobustFront&)>> const lies{
        [](RobustFront& f) { ++f.designs_linear; }, [](RobustFront& f) { ++f.designs_evaluated; },
        [](RobustFront& f) { ++f.machines[0].draws_infeasible; },
        [](RobustFront& f) { f.designs[0].certain = !f.designs[0].certain; }};
    for (auto const& lie : lies) {
        auto told = front;
        lie(told);
        auto const checked = check_draws(told, space, store, models::Fidelity::analytic, "small.toml", {1000, 1});
        EXPECT_TRUE(checked.all);
        EXPECT_FALSE(checked.problems.empty());
    }
}

}  // namespace
}  // namespace pimdse::dse::uncertain::check_test
