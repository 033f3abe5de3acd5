#include "sim/serving/max_rate.hpp"

#include "sim/base/check.hpp"
#include "sim/serving/arrivals.hpp"
#include "tests/unit/sim/serving/random_load.hpp"

#include <gtest/gtest.h>
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

double few_blocks_serve(ServiceLoad const& load) { return ceiling(load, few_blocks(), several_steps(), 1); }

std::optional<LargestRate> max_rate_of(ServiceLoad const& load, ServiceObjectives const& objectives, double share) {
    return max_rate(load, with_few_blocks(), objectives, share, few_blocks_serve(load));
}

TEST(MaxRate, is_the_end_of_the_rates_that_are_good) {
    int compared = 0, repeated_ones = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        auto const load = load_at(seed % 2 == 0 ? 0.1 : 500.0, seed);
        for (double const share : {0.5, 0.9, 0.99}) {
            ServiceObjectives const objectives{0.3, 0.015};
            auto const found = max_rate_of(load, objectives, share);
            ASSERT_TRUE(found);
            EXPECT_LE(found->rate, few_blocks_serve(load));
            EXPECT_LE(found->served, found->rate * 1.0001);
            if (found->rate == 0.0) continue;
            auto const whole = repeated(load, found->repeats);
            EXPECT_GE(share_at(whole, found->rate * (1.0 - 1e-9), objectives), share);
            repeated_ones += found->repeats > 1 ? 1 : 0;
            if (found->at_ceiling) continue;
            ++compared;
            // Some rate within 1 % above is not good.
            bool bad = false;
            for (double step = 1.0; step <= 1.0102; step += 1e-4)
                bad = bad || share_at(whole, found->rate * step, objectives) < share;
            EXPECT_TRUE(bad) << seed << " " << share;
        }
    }
    EXPECT_GT(compared, 60);
    EXPECT_GT(repeated_ones, 10);
}

/// A load that is too short is lengthened: what it finds is what a long one finds, and hardly differs from it.
TEST(MaxRate, of_few_requests_is_that_of_many) {
    ServiceObjectives const objectives{0.5, infinite};
    auto few = load_at(5.0, 7, 10);
    for (auto& request : few.requests) request.input = 20, request.output = 20;
    auto const many = repeated(few, 60);
    auto const of_few = *max_rate_of(few, objectives, 0.9), of_many = *max_rate_of(many, objectives, 0.9);
    EXPECT_GT(of_few.repeats, 1);
    EXPECT_TRUE(of_few.lasts() && of_many.lasts());
    EXPECT_NEAR(of_few.rate, of_many.rate, 0.05 * of_many.rate);
    EXPECT_GE(of_few.served, 0.85 * of_few.rate);
}

TEST(RepeatedLoad, keeps_its_rhythm_and_its_rate) {
    ServiceLoad const from_zero{{{0.0, 1, 2}, {1.0, 3, 4}, {4.0, 5, 6}}, 0};
    auto const twice = repeated(from_zero, 2);
    ASSERT_EQ(twice.requests.size(), 6U);
    EXPECT_EQ(twice.requests[3].arrival, 6.0) << "a mean gap after the last one";
    EXPECT_EQ(twice.requests[5].arrival, 10.0);
    EXPECT_EQ(twice.requests[4].input, 3);
    EXPECT_EQ(*rate_of(twice), *rate_of(from_zero));
    auto const drawn = load_at(5.0, 2);
    EXPECT_NEAR(*rate_of(repeated(drawn, 7)), 5.0, 1e-12);
    EXPECT_EQ(repeated(drawn, 1).requests.size(), drawn.requests.size());
}

/// A step has at most 6 sequences of 20 prompt and 20 output positions: by hand from the cost of a full step.
TEST(Ceiling, is_what_full_steps_serve) {
    ServiceLoad load;
    for (int i = 0; i < 7; ++i) load.requests.push_back({static_cast<double>(i), 20, 20});
    SchedulerSettings settings;
    settings.max_sequences = 6;
    settings.blocks = 100;
    // Six prompts in a step, then 19 steps of six tokens, and again.
    double seconds = cost_of_step({{6, {20, 0}}, {}, 6}).seconds;
    for (std::int64_t token = 1; token < 20; ++token)
        seconds += cost_of_step({{}, std::vector<std::int64_t>(6, 20 + token), 6}).seconds;
    EXPECT_NEAR(ceiling(load, settings, several_steps(), 1), 6.0 / seconds, 1e-3 * 6.0 / seconds);
    EXPECT_EQ(ceiling(load, settings, several_steps(), 3), 3.0 * ceiling(load, settings, several_steps(), 1));
    load.requests[3].input = 2000;  // rejected, but it arrives
    EXPECT_NEAR(ceiling(load, settings, several_steps(), 1), 7.0 / seconds, 0.01 * 7.0 / seconds);
}

/// Where a rate is enough, it is reached if, and only if, the ceiling is not clearly below it.
TEST(Ceiling, ends_early_where_a_rate_is_enough) {
    int reached = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        auto const load = load_at(1.0, seed, 200);
        double const top = few_blocks_serve(load);
        for (double const part : {0.3, 0.8, 0.97, 1.05, 2.0}) {
            double const found = ceiling(load, few_blocks(), several_steps(), 1, part * top);
            if (found < part * top) {
                EXPECT_EQ(found, top) << seed;
                EXPECT_GT(part, 0.95) << seed;
            } else {
                ++reached;
                EXPECT_LT(part, 1.03) << seed;
            }
        }
    }
    EXPECT_GT(reached, 80);
}

TEST(Ceiling, separates_loads_that_last_from_those_whose_queue_grows) {
    int growing = 0, lasting = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        auto const load = load_at(1.0, seed, 200);
        double const top = few_blocks_serve(load);
        auto const last_wait = [&](double rate, std::int64_t times) {
            auto scaled = repeated(load, times);
            for (auto& request : scaled.requests) request.arrival /= rate;
            auto const found = schedule(scaled, few_blocks(), several_steps());
            return found.end - scaled.requests.back().arrival;
        };
        // Twice as many requests wait twice as long above the ceiling, and no longer below.
        EXPECT_GT(last_wait(1.2 * top, 8), 1.6 * last_wait(1.2 * top, 4)) << seed;
        EXPECT_LT(last_wait(0.8 * top, 8), 1.4 * last_wait(0.8 * top, 4)) << seed;
        for (double const part : {0.3, 0.6, 1.2, 3.0}) {
            auto scaled = load;
            for (auto& request : scaled.requests) request.arrival /= part * top;
            bool const keeps = keeps_up(scaled, schedule(scaled, few_blocks(), several_steps()));
            EXPECT_TRUE(!keeps || part < 1.0) << seed << " " << part;
            ++(keeps ? lasting : growing);
        }
    }
    EXPECT_GT(lasting, 20);
    EXPECT_GT(growing, 40);
}

/// Turns of sessions arrive one by one when no session begins any more, however long the queue was before.
TEST(Ceiling, counts_no_turns_behind_the_last_session) {
    ServiceLoad sessions;
    for (std::uint32_t session = 0; session < 40; ++session)
        for (std::uint32_t turn = 0; turn < 4; ++turn) {
            auto& request = sessions.requests.emplace_back(ServiceRequest{0.001 * session, 40, 30});
            if (turn == 0) continue;
            request.parent = 4 * session + turn - 1;
            request.after = session == 39 && turn > 1 ? 100.0 : 0.0;
        }
    auto const found = schedule(sessions, few_blocks(), several_steps());
    EXPECT_LT(few_blocks_serve(sessions), 500.0);
    EXPECT_FALSE(keeps_up(sessions, found)) << "1,000 sessions arrive in a second";
    auto slow = sessions;
    for (auto& request : slow.requests) {
        request.arrival *= 1e6;
        request.after = 0.0;
    }
    EXPECT_TRUE(keeps_up(slow, schedule(slow, few_blocks(), several_steps()))) << "one in 1,000 s";
}

/// The rate of the load itself only tells where the search begins.
TEST(MaxRate, hardly_depends_on_the_rate_of_the_load) {
    ServiceObjectives const objectives{0.3, 0.02};
    auto const slow = max_rate_of(load_at(1.0, 3), objectives, 0.9),
               fast = max_rate_of(load_at(64.0, 3), objectives, 0.9);
    ASSERT_TRUE(slow && fast);
    EXPECT_NEAR(slow->rate, fast->rate, 0.02 * slow->rate);
    EXPECT_NEAR(slow->served, fast->served, 0.03 * slow->served);
}

TEST(MaxRate, falls_with_the_share_and_the_limits) {
    auto const load = load_at(5.0, 4, 2000);
    auto const rate = [&](double ttft, double share) { return max_rate_of(load, {ttft, infinite}, share)->rate; };
    EXPECT_GE(1.01 * rate(0.5, 0.5), rate(0.5, 0.9));
    EXPECT_GE(1.01 * rate(0.5, 0.9), rate(0.1, 0.9));
    EXPECT_GT(rate(0.1, 0.9), 0.0);
}

TEST(MaxRate, has_ends) {
    auto const load = load_at(5.0, 5);
    EXPECT_EQ(max_rate_of(load, {1e-6, infinite}, 0.9)->rate, 0.0) << "no step is so short";
    auto const unlimited = *max_rate_of(load, {}, 1.0);
    EXPECT_EQ(unlimited.rate, few_blocks_serve(load)) << "without limits, what is ever served";
    EXPECT_TRUE(unlimited.at_ceiling);
    ServiceLoad const pairs{{{0.0, 10, 1}, {0.0, 10, 1}, {1.0, 10, 1}, {1.0, 10, 1}}, 0};
    double const alone = cost_of_step({{{10, 0}}, {}, 1}).seconds;
    EXPECT_EQ(max_rate_of(pairs, {1.001 * alone, infinite}, 1.0)->rate, 0.0)
        << "requests that arrive together wait for each other at every rate";
    auto closed = load;
    closed.concurrency = 2;
    EXPECT_FALSE(max_rate(closed, with_few_blocks(), {}, 0.9, 1.0));
    EXPECT_FALSE(max_rate({}, with_few_blocks(), {}, 0.9, 1.0));
    EXPECT_FALSE(max_rate({{{1.0, 2, 3}}, 0}, with_few_blocks(), {}, 0.9, 1.0));
    EXPECT_THROW((void)max_rate(load, with_few_blocks(), {}, 0.0, 1.0), ContractViolation);
    EXPECT_THROW((void)max_rate(load, with_few_blocks(), {}, 1.5, 1.0), ContractViolation);
}

}  // namespace
}  // namespace pimdse::sim::serving::test::max_rate_test
