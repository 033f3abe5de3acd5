#include "sim/serving/summary.hpp"

#include "sim/base/check.hpp"
#include "tests/unit/sim/serving/random_load.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace pimdse::sim::serving::test::summary_test {
namespace {

TEST(Summary, ranks_as_the_nearest_rank_rule_says) {
    for (std::size_t size = 1; size <= 250; ++size) {
        std::vector<double> values(size);
        for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<double>(i * i);
        for (std::int64_t percent = 1; percent <= 100; ++percent) {
            // The smallest value that at least so many do not exceed, found one by one.
            std::size_t i = 0;
            while (100 * (i + 1) < static_cast<std::size_t>(percent) * size) ++i;
            EXPECT_EQ(nearest_rank(values, percent), values[i]);
        }
    }
    EXPECT_THROW((void)nearest_rank({}, 50), ContractViolation);
}

/// Four requests by hand: 0 is good, 1 has a late first token, 2 has slow tokens, 3 is rejected.
TEST(Summary, counts_by_hand) {
    ServiceLoad const load{{{1.0, 10, 5}, {2.0, 10, 1}, {3.0, 10, 3}, {4.0, 999, 1}}, 0};
    Schedule schedule;
    schedule.requests = {{1.0, 1.5, 2.0, 4.0, 0, false},
                         {2.0, 4.0, 5.0, 5.0, 2, false},
                         {3.0, 3.0, 3.5, 11.0, 0, false},
                         {4.0, 0.0, 0.0, 0.0, 0, true}};
    schedule.end = 11.0;
    schedule.busy = 8.0;
    schedule.joules = 100.0;
    schedule.rejected = 1;
    schedule.preemptions = 2;
    schedule.peak_blocks = 30;
    SchedulerSettings settings;
    settings.blocks = 40;
    auto const s = summarise(load, settings, schedule, {1.0, 0.5}, 7.0);
    EXPECT_EQ(s.requests, 4);
    EXPECT_EQ(s.served, 3);
    EXPECT_EQ(s.rejected, 1);
    EXPECT_EQ(s.good, 1);
    EXPECT_EQ(s.good_share, 0.25);
    EXPECT_EQ(s.makespan, 10.0);
    EXPECT_EQ(s.goodput, 0.1);
    EXPECT_EQ(s.request_rate, 0.3);
    EXPECT_EQ(s.output_rate, 0.9);
    EXPECT_EQ(s.preemptions, 2);
    EXPECT_EQ(s.kv_peak, 0.75);
    EXPECT_EQ(s.energy, 114.0) << "two seconds are idle";
    EXPECT_EQ(s.mean_power, 11.4);
    EXPECT_EQ(s.energy_per_good_token, 114.0 / 5.0);
    ASSERT_TRUE(s.ttft && s.tpot && s.e2e && s.queue);
    EXPECT_EQ(s.ttft->p50, 1.0);
    EXPECT_EQ(s.ttft->p99, 3.0);
    EXPECT_EQ(s.ttft->mean, 1.5);
    EXPECT_EQ(s.tpot->p50, 0.5) << "a request of one token has no time between tokens";
    EXPECT_EQ(s.tpot->p99, 3.75);
    EXPECT_EQ(s.e2e->p90, 8.0);
    EXPECT_EQ(s.queue->p99, 2.0);
}

/// Two users begin at once and wait for each other; their later requests do not.
TEST(Summary, of_a_closed_loop_leaves_out_the_first_request_of_each_user) {
    ServiceLoad load{std::vector<ServiceRequest>(6, {0.0, 10, 1}), 2};
    Schedule schedule;
    schedule.requests = {{0.0, 0.0, 5.0, 5.0, 0, false}, {0.0, 5.0, 9.0, 9.0, 0, false},
                         {5.0, 5.0, 6.0, 6.0, 0, false}, {9.0, 9.0, 10.0, 10.0, 0, false},
                         {6.0, 6.0, 7.0, 7.0, 0, false}, {10.0, 10.0, 13.0, 13.0, 0, false}};
    schedule.end = 13.0;
    SchedulerSettings const settings;
    ServiceObjectives const limits{2.0, 1.0};
    auto const s = summarise(load, settings, schedule, limits, 0.0);
    EXPECT_EQ(s.warm_up, 2);
    EXPECT_EQ(s.ttft->p99, 3.0);
    EXPECT_EQ(s.ttft->mean, 1.5);
    EXPECT_EQ(s.good_share, 0.75);
    EXPECT_EQ(s.served, 6);
    EXPECT_EQ(figures_of(load, schedule, limits).ttft.size(), 4U);
    EXPECT_EQ(figures_of(load, schedule, limits).ttft_met, 0.75);
    load.concurrency = 4;  // too few requests to leave any out
    EXPECT_EQ(warm_up_of(load), 0);
    load.concurrency = 0;
    EXPECT_EQ(warm_up_of(load), 0);
}

TEST(Summary, of_nothing_has_no_times) {
    SchedulerSettings const settings;
    auto const none = summarise({}, settings, {}, {}, 1.0);
    EXPECT_EQ(none.requests, 0);
    EXPECT_FALSE(none.ttft);
    ServiceLoad const load{{{2.0, 100, 1}}, 0};
    auto const rejected = summarise(load, settings, schedule(load, settings, step_by_step()), {}, 1.0);
    EXPECT_EQ(rejected.rejected, 1);
    EXPECT_EQ(rejected.good_share, 0.0);
    EXPECT_EQ(rejected.makespan, 0.0);
    EXPECT_FALSE(rejected.ttft || rejected.energy_per_good_token);
}

/// A step takes 10 to 15 ms, so eight sequences of 20 tokens complete some 30 requests per second.
TEST(Summary, counts_as_good_what_meets_the_limits) {
    auto const good_at = [](double rate, ServiceObjectives const& objectives) {
        ServiceLoad load;
        for (int i = 0; i < 200; ++i) load.requests.push_back({static_cast<double>(i) / rate, 20, 20});
        SchedulerSettings settings;
        settings.max_sequences = 8;
        settings.blocks = 100;
        return summarise(load, settings, schedule(load, settings, several_steps()), objectives, 0.0).good_share;
    };
    EXPECT_GT(good_at(5.0, {0.1, 0.02}), 0.99);
    EXPECT_LT(good_at(100.0, {0.1, 0.02}), 0.3);
    EXPECT_EQ(good_at(100.0, {}), 1.0) << "without limits every request is good";
}

}  // namespace
}  // namespace pimdse::sim::serving::test::summary_test
