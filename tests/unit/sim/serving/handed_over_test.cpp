#include "sim/serving/schedule_in_turn.hpp"
#include "tests/unit/sim/serving/random_load.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <vector>

/// Two pools of engines, of which the first computes prompts and the second decodes.
namespace pimdse::sim::serving::test::handed_over_test {
namespace {

/// Loads and settings of two pools.
struct RandomPools {
    ServiceLoad load;
    SchedulerSettings prompts, decode;
    std::int64_t first = 1, second = 1;  ///< engines
    PromptLink link;
};

RandomPools random_pools(std::uint64_t seed) {
    auto made = seed % 2 == 0 ? random_case_with_past(seed) : random_case_with_tier(seed);
    Draws draws(seed + (std::uint64_t{1} << 48U));
    RandomPools pools{made.load, made.settings, random_case_with_prompt_link(seed).settings, 1, 1, {}};
    pools.link = pools.decode.prompt_link;
    pools.decode.tier = {};
    if (draws.between(0, 1) == 0) {
        pools.decode.prompt_link = {};
        pools.decode.prefix_units = {};
    }
    pools.decode.blocks = std::max<std::int64_t>(1, pools.decode.blocks * draws.between(2, 8) / 4);
    pools.second = draws.between(1, 3);
    pools.first = draws.between(1, pools.load.concurrency > 0 ? std::min<std::int64_t>(3, pools.load.concurrency) : 3);
    return pools;
}

HandedOver served(RandomPools const& pools) {
    return schedule_handed_over(pools.load, {pools.prompts, several_steps(), pools.first},
                                {pools.decode, several_steps(), pools.second}, pools.link);
}

/// Requests in the order of their times.
std::vector<std::size_t> in_order(std::vector<std::size_t> numbers, std::vector<double> const& times) {
    std::ranges::sort(numbers, {}, [&](std::size_t i) { return std::pair(times[i], i); });
    return numbers;
}

/// Serves the requests, each by its engine, as requests that arrive by themselves at these times.
template <class Request>
std::vector<RequestTimes> alone(RandomPools const& pools, SchedulerSettings const& settings,
                                std::vector<std::size_t> const& order, std::vector<double> const& times,
                                std::vector<std::size_t> const& engine_of, Request const& request_of) {
    std::vector<RequestTimes> found(pools.load.requests.size());
    std::map<std::size_t, std::vector<std::size_t>> of_engine;
    for (auto const i : order) of_engine[engine_of[i]].push_back(i);
    for (auto const& [engine, numbers] : of_engine) {
        ServiceLoad load{{}, 0, pools.load.prefixes};
        for (auto const i : numbers) {
            auto request = request_of(pools.load.requests[i]);
            request.parent = ServiceRequest::none;
            request.arrival = times[i];
            load.requests.push_back(request);
        }
        auto const schedule = serving::schedule(load, settings, several_steps());
        for (std::size_t k = 0; k < numbers.size(); ++k) found[numbers[k]] = schedule.requests[k];
    }
    return found;
}

/// What the two pools do one after the other with requests of known arrivals.
std::vector<RequestTimes> one_after_the_other(RandomPools const& pools, std::vector<RequestTimes> const& known) {
    auto const& requests = pools.load.requests;
    auto const roots = roots_of(pools.load);
    std::vector<std::size_t> sent, engine(requests.size()), moved, all(requests.size());
    std::size_t sessions = 0;
    std::vector<double> arrivals;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        bool const begins = requests[i].parent == ServiceRequest::none;
        engine[i] = begins ? sessions++ % static_cast<std::size_t>(pools.first) : engine[requests[i].parent];
        arrivals.push_back(known[i].arrival);
        if (begins || !known[requests[i].parent].rejected) sent.push_back(i);
    }
    auto times = alone(pools, pools.prompts, in_order(sent, arrivals), arrivals, engine, [](ServiceRequest request) {
        request.output = 1;
        return request;
    });
    std::vector<double> ready(requests.size()), links(static_cast<std::size_t>(pools.first));
    for (auto const i : sent) {
        ready[i] = times[i].first_token;
        if (!times[i].rejected && requests[i].output > 1) moved.push_back(i);
    }
    for (auto const i : in_order(moved, ready)) {
        if (pools.decode.prompt_link.seconds) continue;
        auto& link = links[engine[i]];
        ready[i] = link = std::max(link, ready[i]) + pools.link.seconds(requests[i].input);
    }
    std::map<std::size_t, std::size_t> of_root;
    for (auto const i : in_order(moved, ready))
        engine[i] =
            of_root.try_emplace(roots[i], of_root.size() % static_cast<std::size_t>(pools.second)).first->second;
    auto const there = alone(pools, pools.decode, in_order(moved, ready), ready, engine, [](ServiceRequest request) {
        request.has_prompt = true;
        return request;
    });
    for (auto const i : moved) {
        times[i].last_token = there[i].last_token;
        times[i].preemptions += there[i].preemptions;
        if (there[i].rejected) times[i] = {.arrival = times[i].arrival, .rejected = true};
    }
    for (std::size_t i = 0; i < requests.size(); ++i)
        if (requests[i].parent != ServiceRequest::none && known[requests[i].parent].rejected)
            times[i] = {.arrival = known[requests[i].parent].arrival, .rejected = true};
    return times;
}

/// Pools that wait for each other do with every request what they do with requests that arrive by themselves when these
/// did; nothing happens before its cause.
TEST(HandedOver, have_the_times_of_requests_that_arrive_by_themselves) {
    std::int64_t turns = 0, waited = 0, reused = 0, received = 0, rejected = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        auto const pools = random_pools(seed);
        auto const found = served(pools);
        auto const expected = one_after_the_other(pools, found.prompts.requests);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            auto const& times = found.prompts.requests[i];
            ASSERT_EQ(times, expected[i]) << fmt::format("seed {}, request {}", seed, i);
            auto const& request = pools.load.requests[i];
            if (request.parent == ServiceRequest::none || found.prompts.requests[request.parent].rejected) continue;
            double const end = found.prompts.requests[request.parent].last_token;
            ASSERT_EQ(times.arrival, std::max(request.arrival, end + request.after)) << seed;
            ++turns;
            waited += times.arrival > request.arrival ? 1 : 0;
        }
        reused += found.prompts.reused;
        received += found.decoded.received;
        rejected += found.prompts.rejected;
    }
    EXPECT_GT(turns, 1000);
    EXPECT_GT(waited, 1000);
    EXPECT_GT(reused, 1000);
    EXPECT_GT(received, 1000);
    EXPECT_GT(rejected, 1000);
}

/// A user of a closed loop begins when a session of its engine is over, in the second pool.
TEST(HandedOver, free_users_with_the_last_token) {
    std::int64_t begun = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        auto const pools = random_pools(seed);
        if (pools.load.concurrency == 0) continue;
        auto const found = served(pools);
        auto const roots = roots_of(pools.load);
        std::map<std::size_t, double> ends;
        for (std::size_t i = 0; i < roots.size(); ++i) {
            auto const& times = found.prompts.requests[i];
            auto& end = ends[roots[i]];
            end = std::max(end, times.rejected ? times.arrival : times.last_token);
        }
        std::size_t session = 0;
        std::map<std::size_t, std::vector<std::pair<double, double>>> of_engine;  // begin and end of sessions
        for (auto const& [root, end] : ends)
            of_engine[session++ % static_cast<std::size_t>(pools.first)].emplace_back(
                found.prompts.requests[root].arrival, end);
        for (auto const& [engine, sessions] : of_engine) {
            auto const users =
                (pools.load.concurrency + pools.first - 1 - static_cast<std::int64_t>(engine)) / pools.first;
            for (auto const& [begin, end] : sessions) {
                auto const open = std::ranges::count_if(
                    sessions, [&](auto const& other) { return other.first <= begin && begin < other.second; });
                ASSERT_LE(open, users) << seed;
                bool const freed = begin == 0.0 || std::ranges::any_of(sessions, [&](auto const& other) {
                                       return other.second == begin;
                                   });
                // A rejection frees its user when an engine sees it.
                bool const seen = found.prompts.rejected > 0;
                ASSERT_TRUE(freed || seen) << seed;
                begun += begin > 0.0 ? 1 : 0;
            }
        }
    }
    EXPECT_GT(begun, 1000);
}

/// Every position of a prompt is computed, or was there; of a sequence that decodes, it is there or comes over the
/// link.
TEST(HandedOver, lose_no_position) {
    std::int64_t both = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        auto const pools = random_pools(seed);
        auto const found = served(pools);
        std::int64_t asked = 0, moved = 0;
        for (std::size_t i = 0; i < pools.load.requests.size(); ++i) {
            auto const& request = pools.load.requests[i];
            if (found.prompts.requests[i].rejected) continue;
            asked += request.input;
            moved += request.output > 1 ? request.input : 0;
        }
        if (found.prompts.preemptions + found.decoded.preemptions + found.prompts.rejected > 0) continue;
        ASSERT_EQ(found.prompts.computed + found.prompts.reused + found.prompts.fetched, asked) << seed;
        if (!pools.decode.prompt_link.seconds) continue;
        ASSERT_EQ(found.decoded.reused + found.decoded.received, moved) << seed;
        ASSERT_LE(found.prompts.peak_blocks, pools.prompts.blocks);
        ASSERT_LE(found.decoded.peak_blocks, pools.decode.blocks);
        ++both;
    }
    EXPECT_GT(both, 50);
}

}  // namespace
}  // namespace pimdse::sim::serving::test::handed_over_test
