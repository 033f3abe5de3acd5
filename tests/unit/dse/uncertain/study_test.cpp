#include "dse/uncertain/study.hpp"

#include "dse/search/front.hpp"
#include "dse/uncertain/check.hpp"
#include "dse/uncertain/draws.hpp"
#include "dse/uncertain/pass.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/dse/uncertain/uncertain_space.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <set>

namespace pimdse::dse::uncertain::study_test {
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

RobustFront expect_slow_fronts(space::Space const& space, std::uint64_t all_samples, std::uint64_t few = 8) {
    auto const samples = tests::draws(all_samples, few);
    auto const uncertainty = testing::ranges_of(space, samples);
    auto const store = testing::swept(space);
    auto const front = study(space, store, uncertainty, evaluate_here(space, 2));
    EXPECT_EQ(front.value().draws.size(), samples);
    auto const slow = slow_fronts(space, uncertainty, front->draws);
    std::map<space::PointId, std::uint64_t> counts;
    for (std::size_t n = 0; n < slow.size(); ++n) {
        EXPECT_EQ(front->front_sizes[n], slow[n].size()) << n;
        for (auto const point : slow[n]) ++counts[point];
    }
    if (space.machines().size() == 1) {
        EXPECT_EQ(front->machines[0].draws_infeasible,
                  std::ranges::count_if(slow, [](auto const& ids) { return ids.empty(); }));
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
    for (std::size_t const others : {0U, 3U}) {
        auto const checked = check_draws(*front, space, store, models::Fidelity::analytic, "small.toml", {others, 1});
        EXPECT_EQ(checked.problems, std::vector<std::string>{});
        EXPECT_GE(checked.designs, front->designs.size());
    }
    return *front;
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
    std::string text = R"(schema = 1
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
)";
    if (tests::in_campaign()) text += "\"umdam.assumed\" = \"stated\"\n";  // a long list
    expect_slow_fronts(testing::small_space(text), 4);
}

space::Space limited_space(std::string const& limit) {
    return testing::small_space(testing::small_text() + "[[constraint]]\nname = \"small\"\nexpr = \"" + limit + "\"\n");
}

TEST(Study, ConstraintsHoldInEveryDraw) {
    auto const space = limited_space("area <= 71 mm2");
    EXPECT_EQ(testing::swept(space).count(search::Status::infeasible), space.size());
    auto const front = expect_slow_fronts(space, 24);
    EXPECT_GT(front.designs_evaluated, 0U) << "some are feasible in some draws";
}

TEST(Study, DesignsThatAreFeasibleInEveryDrawAreNotEvaluatedInEach) {
    auto const front = expect_slow_fronts(limited_space("energy <= 52 mJ"), 40);
    EXPECT_GT(front.designs_evaluated, 0U) << "one consumes 51.7 mJ as assumed";
    EXPECT_GT(front.designs_linear, 0U);
    EXPECT_GT(front.designs_excluded, 0U);
}

/// umdam with memories between the sizes for which the technology has an energy.
std::string memories_text(std::string const& ranges) {
    return R"(schema = 1
architecture = "umdam"
objectives = ["latency", "energy", "area"]
[assumptions]
view = "hardware"
constants = "technology"
[parameters]
llm = "opt-125m"
input = 32
output = 8
channels = [2, 16]
banks = [4, 8]
npu_flops = ["2 TFLOP/s", "128 TFLOP/s"]
npu_buffer = ["1 MiB", "12 MiB", "16 MiB"]
[uncertain]
)" + ranges;
}

TEST(Study, EnergiesInterpolatedBetweenMemoriesArePowers) {
    auto const space = testing::small_space(memories_text(R"("technology.sram_access_8mib" = { times = 2 }
"technology.mac_fp16" = { times = 2 }
"technology.sram_leakage" = { times = 2 }
)"));
    auto const front = expect_slow_fronts(space, 40);
    EXPECT_GT(front.designs_linear, 0U);
}

TEST(Study, DirectionsThatWereOnlySeenLeaveNothingOut) {
    auto text = memories_text(R"("technology.package_limit_lpddr5" = { times = 1.1 }
"umdam.pim_multiply" = { times = 1.1 }
"umdam.row_activation" = { times = 1.1 }
"umdam.pim_unit_area" = { times = 1.3 }
"umdam.row_supply_area" = { times = 1.3 }
"umdam.pim_sram_area" = { times = 1.3 }
)");
    std::string const few = "channels = [2, 16]";
    text.replace(text.find(few), few.size(), R"(channels = [1, 2, 4, 8, 16, 32]
pim_vectors = [1, 4]
pim_mac_interval = ["2 ns", "4 ns"]
devices = [1, 2])");
    // Polynomials pay only in many draws.
    auto const front = expect_slow_fronts(testing::small_space(text), 60, 60);
    EXPECT_FALSE(front.not_stated.empty());
    EXPECT_GT(front.designs_linear, front.designs_evaluated);
}

TEST(Study, LimitsOfPowerHoldInEveryDraw) {
    auto const space = testing::small_space(memories_text(R"("technology.package_limit_lpddr5" = { times = 3 }
"umdam.pim_multiply" = { times = 3 }
"umdam.row_activation" = { times = 2 }
"umdam.pim_unit_area" = { times = 2 }
)"));
    auto const front = expect_slow_fronts(space, 40);
    EXPECT_EQ(front.designs_linear + front.designs_evaluated + front.designs_excluded, space.size());
}

TEST(Study, PolynomialsTakeFewerEvaluationsThanDraws) {
    auto const space = testing::small_space();
    auto const store = testing::swept(space);
    std::uint64_t evaluations = 0;
    auto const here = evaluate_here(space, 2);
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
}  // namespace pimdse::dse::uncertain::study_test
