#include "dse/uncertain/study.hpp"

#include "dse/search/front.hpp"
#include "dse/uncertain/draws.hpp"
#include "dse/uncertain/varied_space.hpp"
#include "tests/unit/dse/uncertain/uncertain_space.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace pimdse::dse::uncertain {
namespace {

/// The front of a sweep with the constants of each draw: slow and obvious.
std::vector<std::vector<space::PointId>> slow_fronts(space::Space const& space, Uncertainty const& uncertainty,
                                                     std::vector<DrawnValues> const& draws) {
    std::vector<std::vector<space::PointId>> fronts;
    for (auto const& values : draws) {
        auto const varied = varied_space(space, uncertainty.constants, settings_of(values));
        fronts.push_back(search::front_of(testing::swept(varied), varied.objectives()).ids());
    }
    return fronts;
}

void expect_slow_fronts(space::Space const& space, std::uint64_t samples) {
    auto const uncertainty = testing::ranges_of(space, samples);
    auto const store = testing::swept(space);
    auto const front = study(space, store, uncertainty, testing::evaluate_here(space));
    ASSERT_TRUE(front.has_value());
    ASSERT_EQ(front->draws.size(), samples);
    auto const slow = slow_fronts(space, uncertainty, front->draws);
    std::map<space::PointId, std::uint64_t> counts;
    for (std::size_t n = 0; n < slow.size(); ++n) {
        EXPECT_EQ(front->front_sizes[n], slow[n].size()) << n;
        for (auto const point : slow[n]) ++counts[point];
    }
    auto const now = search::front_of(store, space.objectives()).ids();
    for (auto const& design : front->designs) {
        EXPECT_EQ(design.draws_on_front, counts[design.point]) << index_of(design.point);
        EXPECT_EQ(design.now, std::ranges::binary_search(now, design.point));
        EXPECT_TRUE(!design.certain || design.draws_on_front == samples);
        EXPECT_TRUE(design.draws_on_front < samples || design.regret == 0.0);
        EXPECT_GE(design.regret, 0.0);
        counts.erase(design.point);
    }
    EXPECT_TRUE(std::ranges::none_of(counts, [](auto const& one) { return one.second > 0; }));
    std::set<space::PointId> const possible(front->possible.begin(), front->possible.end());
    for (auto const& points : slow)
        for (auto const point : points) EXPECT_TRUE(possible.contains(point)) << index_of(point);
}

TEST(Study, FrontsAreThoseOfSweepsWithTheDrawnConstants) { expect_slow_fronts(testing::small_space(), 24); }

TEST(Study, NonLinearConstantsAreEvaluatedInEveryDraw) {
    expect_slow_fronts(testing::small_space(testing::small_text(R"("dplena.matrix_tiles" = { choices = [2, 4, 8] }
"dplena.hbm_row" = { times = 2 }
"dplena.waiting_share" = { normal = [0.1, 0.02] }
)")),
                       6);
}

TEST(Study, ParametersWithOneValueAreDrawn) {
    auto const space = testing::small_space(R"(schema = 1
architecture = "umdam"
objectives = ["latency", "energy"]
[parameters]
llm = "opt-125m"
input = 32
output = 8
channels = [2, 4]
ranks = [1, 2]
[uncertain]
"umdam.attained_share" = { low = 0.4, high = 1.0 }
"umdam.assumed" = "stated"
)");
    expect_slow_fronts(space, 4);
}

TEST(Study, ConstraintsHoldInEveryDraw) {
    auto const text = testing::small_text() + R"([[constraint]]
name = "small"
expr = "area <= 71 mm2"
)";
    auto const space = testing::small_space(text);
    expect_slow_fronts(space, 12);
    auto const store = testing::swept(space);
    EXPECT_GT(store.count(search::Status::infeasible), 0U);
}

TEST(Study, PolynomialsTakeFewerEvaluationsThanDraws) {
    auto const space = testing::small_space();
    auto const store = testing::swept(space);
    std::uint64_t evaluations = 0;
    auto const here = testing::evaluate_here(space);
    auto const counted = [&](Pass const& pass, std::vector<space::Task> const& tasks) {
        for (auto const& task : tasks) evaluations += pass.machines[space.machine_of(task.point)].size();
        return here(pass, tasks);
    };
    auto const front = study(space, store, testing::ranges_of(space, 200), counted);
    EXPECT_EQ(front->designs_evaluated, 0U);
    EXPECT_GT(front->designs_linear, 0U);
    EXPECT_LE(evaluations, 12 * space.size());
    EXPECT_EQ(front->draws.size(), 200U);
}

TEST(Study, StoppedPassesGiveNothing) {
    auto const space = testing::small_space();
    auto const never = [](Pass const&, std::vector<space::Task> const&) {
        return std::optional<search::ResultStore>();
    };
    EXPECT_FALSE(study(space, testing::swept(space), testing::ranges_of(space, 8), never).has_value());
}

TEST(Study, KeysTellResultsAndRangesApart) {
    auto const space = testing::small_space();
    auto const store = testing::swept(space);
    auto const key = key_of(space, store, testing::ranges_of(space, 8));
    EXPECT_EQ(key, key_of(space, store, testing::ranges_of(space, 8)));
    EXPECT_NE(key, key_of(space, store, testing::ranges_of(space, 9)));
    auto other = testing::ranges_of(space, 8);
    other.constants[0].upper *= 2.0;
    EXPECT_NE(key, key_of(space, store, other));
}

}  // namespace
}  // namespace pimdse::dse::uncertain
