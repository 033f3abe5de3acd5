#include "sim/serving/max_rate.hpp"

#include "sim/base/check.hpp"
#include "sim/serving/arrivals.hpp"
#include "tests/unit/sim/serving/random_load.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <limits>

namespace pimdse::sim::serving::test::max_rate_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

ServiceLoad load_at(double rate, std::uint64_t seed, std::size_t count = 120) {
    Draws draws(seed);
    ServiceLoad load;
    for (double const time : arrival_times({ArrivalProcess::poisson, rate, 1.0, seed}, count))
        load.requests.push_back({time, draws.between(1, 60), draws.between(1, 40)});
    return load;
}

SchedulerSettings few_blocks() {
    SchedulerSettings settings;
    settings.max_sequences = 6;
    settings.blocks = 30;
    return settings;
}

Serve with_few_blocks() {
    return [](ServiceLoad const& load, GiveUp const* give_up) {
        return schedule(load, few_blocks(), several_steps(), give_up);
    };
}

double share_at(ServiceLoad load, double rate, ServiceObjectives const& objectives) {
    auto const last = load.requests.back().arrival;
    double const own = static_cast<double>(load.requests.size()) / last;
    for (auto& request : load.requests) request.arrival *= own / rate;
    auto const found = schedule(load, few_blocks(), step_by_step());
    return summarise(load, few_blocks(), found, objectives, 0.0).good_share;
}

bool good_at_once(ServiceLoad const& load, ServiceObjectives const& objectives, double share) {
    return share_at(load, 1e9, objectives) >= share;
}

TEST(MaxRate, is_the_end_of_the_rates_that_are_good) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        auto const load = load_at(seed % 2 == 0 ? 0.1 : 500.0, seed);
        for (double const share : {0.5, 0.9, 0.99}) {
            ServiceObjectives const objectives{0.3, 0.015};
            auto const found = max_rate(load, with_few_blocks(), objectives, share);
            ASSERT_TRUE(found);
            EXPECT_LE(found->served, found->rate * 1.2) << "the last of few requests may have arrived early";
            double const* const rate = &found->rate;
            if (*rate == 0.0 || good_at_once(load, objectives, share)) continue;
            ++compared;
            EXPECT_GE(share_at(load, *rate * (1.0 - 1e-9), objectives), share);
            // Some rate within 1 % above is not good.
            bool bad = false;
            for (double step = 1.0; step <= 1.0102; step += 1e-4)
                bad = bad || share_at(load, *rate * step, objectives) < share;
            EXPECT_TRUE(bad) << seed << " " << share;
        }
    }
    EXPECT_GT(compared, 60);
}

/// The rate of the load itself only tells where the search begins.
TEST(MaxRate, hardly_depends_on_the_rate_of_the_load) {
    ServiceObjectives const objectives{0.3, 0.02};
    auto const slow = max_rate(load_at(1.0, 3), with_few_blocks(), objectives, 0.9);
    auto const fast = max_rate(load_at(64.0, 3), with_few_blocks(), objectives, 0.9);
    ASSERT_TRUE(slow && fast);
    EXPECT_NEAR(slow->rate, fast->rate, 0.02 * slow->rate);
    EXPECT_NEAR(slow->served, fast->served, 0.03 * slow->served);
}

TEST(MaxRate, falls_with_the_share_and_the_limits) {
    auto const load = load_at(5.0, 4);
    auto const rate = [&](double ttft, double share) {
        return max_rate(load, with_few_blocks(), {ttft, infinite}, share)->rate;
    };
    EXPECT_GE(1.01 * rate(0.5, 0.5), rate(0.5, 0.9));
    EXPECT_GE(1.01 * rate(0.5, 0.9), rate(0.1, 0.9));
    EXPECT_GT(rate(0.1, 0.9), 0.0);
}

TEST(MaxRate, has_ends) {
    auto const load = load_at(5.0, 5);
    EXPECT_EQ(max_rate(load, with_few_blocks(), {1e-6, infinite}, 0.9)->rate, 0.0) << "no step is so short";
    auto at_once = load;
    for (auto& request : at_once.requests) request.arrival = 0.0;
    double const end = schedule(at_once, few_blocks(), several_steps()).end;
    double const at_most = static_cast<double>(load.requests.size()) / end;
    EXPECT_NEAR(max_rate(load, with_few_blocks(), {}, 1.0)->rate, at_most, 0.01 * at_most)
        << "without limits, the rate at which they are served at once";
    ServiceLoad const pairs{{{0.0, 10, 1}, {0.0, 10, 1}, {1.0, 10, 1}, {1.0, 10, 1}}, 0};
    double const alone = cost_of_step({{{10, 0}}, {}, 1}).seconds;
    EXPECT_EQ(max_rate(pairs, with_few_blocks(), {1.001 * alone, infinite}, 1.0)->rate, 0.0)
        << "requests that arrive together wait for each other at every rate";
    auto closed = load;
    closed.concurrency = 2;
    EXPECT_FALSE(max_rate(closed, with_few_blocks(), {}, 0.9));
    EXPECT_FALSE(max_rate({}, with_few_blocks(), {}, 0.9));
    EXPECT_FALSE(max_rate({{{1.0, 2, 3}}, 0}, with_few_blocks(), {}, 0.9));
    EXPECT_THROW((void)max_rate(load, with_few_blocks(), {}, 0.0), ContractViolation);
    EXPECT_THROW((void)max_rate(load, with_few_blocks(), {}, 1.5), ContractViolation);
}

}  // namespace
}  // namespace pimdse::sim::serving::test::max_rate_test
