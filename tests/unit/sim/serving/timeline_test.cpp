#include "sim/serving/timeline.hpp"

#include "sim/base/check.hpp"
#include "sim/serving/schedule_in_turn.hpp"
#include "sim/serving/summary.hpp"
#include "tests/unit/sim/serving/random_load.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace pimdse::sim::serving::test::timeline_test {
namespace {

/// Requests as usual, with blocks of tokens, or with prompts from elsewhere.
RandomCase drawn(std::uint64_t seed) {
    if (seed % 3 == 0) return random_case(seed);
    return seed % 3 == 1 ? random_case_of_blocks(seed) : random_case_with_prompts(seed);
}

/// Tokens that the engines yield.
std::int64_t tokens_of(RandomCase const& given, Schedule const& schedule) {
    std::int64_t tokens = 0;
    for (std::size_t i = 0; i < given.load.requests.size(); ++i) {
        auto const& request = given.load.requests[i];
        if (!schedule.requests[i].rejected) tokens += request.output - (request.has_prompt ? 1 : 0);
    }
    return tokens;
}

struct Observed {
    Schedule schedule;
    std::vector<EngineActivity> activities;
};

Observed observe(RandomCase const& given, StepLaw const& law, std::int64_t engines = 1) {
    Observed seen;
    auto const note = [&](EngineActivity const& did) { seen.activities.push_back(did); };
    seen.schedule = schedule_in_turn(given.load, given.settings, law, engines, nullptr, note);
    return seen;
}

/// Steps that a law costs ahead and that are not executed draw nothing.
TEST(Observer, is_told_of_the_power_of_executed_steps_only) {
    int costed_ahead = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        auto const given = drawn(seed);
        auto const law = several_steps(given.settings.tokens_per_step);
        double executed = 0.0, costed = 0.0, told = 0.0;
        auto const hotter = [](double& watts, StepCost const& cost) {
            if (cost.seconds > 0.0) watts = std::max(watts, cost.joules / cost.seconds);
        };
        StepLaw one_by_one, ahead = law;
        one_by_one.one = [&](StepWork const& work) {
            auto const cost = law.one(work);
            hotter(executed, cost);
            return cost;
        };
        ahead.many = [&](StepWork const& first, std::span<StepCost> costs) {
            law.many(first, costs);
            for (auto const& cost : costs) hotter(costed, cost);
        };
        (void)schedule(given.load, given.settings, one_by_one);
        for (auto const& did : observe(given, ahead).activities) told = std::max(told, did.watts);
        ASSERT_EQ(told, executed) << "seed " << seed;
        costed_ahead += costed > executed ? 1 : 0;
    }
    EXPECT_GT(costed_ahead, 5) << "some of the steps that were not executed would have been the hottest";
}

TEST(Observer, changes_nothing_and_is_told_of_every_step) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        auto const given = drawn(seed);
        auto const law = several_steps(given.settings.tokens_per_step);
        auto const seen = observe(given, law);
        ASSERT_EQ(seen.schedule, schedule(given.load, given.settings, law)) << "seed " << seed;
        std::int64_t steps = 0, tokens = 0, blocks = 0;
        double busy = 0.0, last = 0.0;
        for (auto const& did : seen.activities) {
            ASSERT_GE(did.start, last);
            ASSERT_GE(did.end, did.start);
            ASSERT_GE(did.waiting, 0);
            ASSERT_LE(did.prompts + did.decoding, did.running);
            last = did.end;
            steps += did.steps;
            tokens += did.tokens;
            busy += did.end - did.start;
            blocks = std::max(blocks, did.blocks);
        }
        EXPECT_EQ(steps, seen.schedule.steps);
        EXPECT_EQ(tokens, tokens_of(given, seen.schedule));
        EXPECT_EQ(blocks, seen.schedule.peak_blocks);
        EXPECT_NEAR(busy, seen.schedule.busy, 1e-9 * busy);
    }
}

TEST(Observer, sees_the_same_whether_steps_are_costed_together_or_one_by_one) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        auto const given = drawn(seed);
        auto const together = observe(given, several_steps(given.settings.tokens_per_step)),
                   alone = observe(given, step_by_step());
        std::size_t next = 0;
        for (auto const& did : together.activities) {
            for (std::int64_t step = 0; step < did.steps; ++step, ++next) {
                ASSERT_LT(next, alone.activities.size());
                auto const& one = alone.activities[next];
                EXPECT_EQ(one.running, did.running);
                if (step == 0) {
                    EXPECT_EQ(one.start, did.start);
                }
                if (step + 1 == did.steps) {
                    EXPECT_EQ(one.blocks, did.blocks);
                }
            }
        }
        EXPECT_EQ(next, alone.activities.size());
    }
}

/// The sums of the intervals are those of the load, however many intervals there are and engines.
TEST(Timeline, loses_nothing) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        auto given = drawn(seed);
        auto const engines = 1 + static_cast<std::int64_t>(seed % 3);
        if (given.load.concurrency > 0) given.load.concurrency += engines;
        auto const seen = observe(given, several_steps(given.settings.tokens_per_step), engines);
        for (std::int64_t const count : {1, 7, 20}) {
            auto const list = timeline_of(seen.schedule, seen.activities, count);
            if (list.empty()) {
                EXPECT_TRUE(seen.activities.empty());
                continue;
            }
            ASSERT_EQ(list.size(), static_cast<std::size_t>(count));
            std::int64_t arrivals = 0;
            double tokens = 0.0, in_system = 0.0, expected = 0.0;
            for (auto const& part : list) {
                double const width = part.end - part.start;
                arrivals += part.arrivals;
                tokens += part.tokens_per_second * width;
                in_system += (part.waiting + part.running) * width;
                EXPECT_GE(part.waiting, 0.0);
                EXPECT_LE(part.cache_share, 1.0 + 1e-9);
            }
            for (std::size_t i = 0; i < given.load.requests.size(); ++i) {
                auto const& times = seen.schedule.requests[i];
                if (times.rejected) continue;
                expected += times.last_token - times.arrival;
            }
            EXPECT_EQ(arrivals, static_cast<std::int64_t>(given.load.requests.size()));
            auto const yielded = static_cast<double>(tokens_of(given, seen.schedule));
            EXPECT_NEAR(tokens, yielded, 1e-6 * yielded);
            EXPECT_NEAR(in_system, expected, 1e-6 * expected + 1e-9);
            EXPECT_EQ(list.front().start, seen.schedule.requests.front().arrival);
            EXPECT_EQ(list.back().end, seen.schedule.end);
        }
    }
}

TEST(Timeline, of_two_requests_by_hand) {
    // One runs from 0 to 4, one waits from 1 to 3 and then runs to 4; one of 10 blocks each.
    Schedule schedule;
    schedule.requests = {{0.0, 0.0, 2.0, 4.0, 0, false}, {1.0, 3.0, 4.0, 4.0, 0, false}};
    schedule.end = 4.0;
    std::vector<EngineActivity> const activities{{0.0, 3.0, 3, 0, 0, 0, 1, 0, 3, 1, 0, 1, 10, 0},
                                                 {3.0, 4.0, 1, 1, 8, 0, 1, 3, 2, 2, 0, 2, 10, 0}};
    auto const list = timeline_of(schedule, activities, 2);
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0], (TimelineInterval{0.0, 2.0, 2, 0.5, 1.0, 0.1, 1.0}));
    EXPECT_EQ(list[1].waiting, 0.5);
    EXPECT_EQ(list[1].running, 1.5);
    EXPECT_DOUBLE_EQ(list[1].cache_share, 0.15);
    EXPECT_EQ(list[1].tokens_per_second, 1.5);
    EXPECT_TRUE(timeline_of(schedule, {}, 2).empty());
    EXPECT_THROW((void)timeline_of(schedule, activities, 0), ContractViolation);
}

TEST(RequestFigures, agree_with_the_summary) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        auto const given = random_case(seed);
        auto const found = schedule(given.load, given.settings, several_steps());
        ServiceObjectives limits{0.3, 0.02};
        auto const figures = figures_of(given.load, found, limits);
        auto const summary = summarise(given.load, given.settings, found, limits, 0.0);
        auto const counted = std::span(found.requests).subspan(static_cast<std::size_t>(summary.warm_up));
        ASSERT_EQ(static_cast<std::ptrdiff_t>(figures.ttft.size()),
                  std::ranges::count(counted, false, &RequestTimes::rejected));
        if (summary.ttft) {
            EXPECT_EQ(nearest_rank(figures.ttft, 99), summary.ttft->p99);
        }
        if (summary.tpot) {
            EXPECT_EQ(nearest_rank(figures.tpot, 90), summary.tpot->p90);
        }
        if (summary.queue) {
            EXPECT_EQ(nearest_rank(figures.queue, 50), summary.queue->p50);
        }
        EXPECT_GE(std::min(figures.ttft_met, figures.tpot_met), summary.good_share);
        EXPECT_EQ(figures_of(given.load, found, {limits.ttft, INFINITY}).ttft_met,
                  summarise(given.load, given.settings, found, {limits.ttft, INFINITY}, 0.0).good_share);
        EXPECT_EQ(figures_of(given.load, found, {INFINITY, limits.tpot}).tpot_met,
                  summarise(given.load, given.settings, found, {INFINITY, limits.tpot}, 0.0).good_share);
    }
}

}  // namespace
}  // namespace pimdse::sim::serving::test::timeline_test
