#include "dse/search/front.hpp"

#include "dse/search/front.hpp"
#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace pimdse::dse::search::fine_history_test {
namespace {

namespace sample = store::sample;
using models::Fidelity;

std::vector<space::Objective> const two{{0, models::Sense::minimize}, {1, models::Sense::minimize}};

TEST(FineHistory, says_at_each_step_what_the_front_so_far_is) {
    auto const all = sample::results(0, 600);
    auto const whole = sample::store(all);
    auto const box = box_of(whole, two, Fidelity::analytic);
    auto const history = fine_history(whole, two, Fidelity::analytic, 10);
    ASSERT_EQ(history.size(), 10U);
    for (auto const& step : history) {
        auto const so_far = sample::store({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(step.evaluations)});
        auto const front = front_of(so_far, two, Fidelity::analytic);
        std::vector<double> points;
        for (auto const& member : front.members())
            points.insert(points.end(), member.values.begin(), member.values.end());
        EXPECT_EQ(step.size, front.size());
        EXPECT_NEAR(step.hypervolume, dominated_share(points, box), 1e-12);
    }
    EXPECT_EQ(history.back().evaluations, 600U);
}

TEST(FineHistory, ends_with_the_last_result_whatever_the_steps) {
    auto const store = sample::store(sample::results(0, 50));
    EXPECT_EQ(fine_history(store, two, Fidelity::analytic, 128).size(), 50U);
    EXPECT_EQ(fine_history(store, two, Fidelity::analytic, 7).back().evaluations, 50U);
    EXPECT_TRUE(fine_history(sample::store({}), two, Fidelity::analytic, 7).empty());
}

}  // namespace
}  // namespace pimdse::dse::search::fine_history_test
