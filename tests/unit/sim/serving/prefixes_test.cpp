#include "sim/serving/past.hpp"
#include "sim/serving/prefix_cache.hpp"
#include "sim/serving/schedule_in_turn.hpp"
#include "sim/serving/scheduler.hpp"
#include "sim/serving/sessions.hpp"
#include "tests/unit/sim/serving/random_load.hpp"
#include "tests/unit/sim/serving/written_table.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <numeric>
#include <set>
#include <string>

namespace pimdse::sim::serving::test::prefixes_test {
namespace {

constexpr auto none = ServiceRequest::none;

/// Requests one after the other, each complete before the next arrives. All that they share is in their prompts.
RandomCase one_by_one(std::uint64_t seed) {
    auto made = random_case_with_past(seed);
    made.load.concurrency = 1;
    for (auto& request : made.load.requests) {
        request.parent = none;
        request.arrival = request.after = 0.0;
        request.input += request.output - 1;
        request.output = 1;
    }
    made.settings.policy = AdmissionOrder::fcfs;
    made.settings.prefix_units = {made.settings.block_tokens, 1};
    return made;
}

std::int64_t blocks_of_longest(RandomCase const& made) {
    std::int64_t blocks = 1;
    for (auto const& request : made.load.requests)
        blocks = std::max(blocks, blocks_for(made.settings, request.input + request.output));
    return blocks;
}

/// Each unit of a request's path, as the tokens up to its end.
std::vector<std::string> units_of(RandomCase const& made, ServiceRequest const& request) {
    std::vector<std::string> units;
    if (request.path == none) return units;
    std::string before;
    auto const size = made.settings.prefix_units.tokens;
    for (auto const part : made.load.prefixes->path(request.path)) {
        before += std::to_string(part) + ",";
        auto const last = std::min(made.load.prefixes->parts[part].end, request.input + request.output - 1);
        while ((static_cast<std::int64_t>(units.size()) + 1) * size <= last)
            units.push_back(before + std::to_string(units.size()));
    }
    return units;
}

/// The counting script: what was ever there is found.
std::int64_t counted(RandomCase const& made) {
    std::set<std::string> seen;
    std::int64_t found = 0;
    auto const size = made.settings.prefix_units.tokens;
    for (auto const& request : made.load.requests) {
        auto const units = units_of(made, request);
        std::int64_t known = 0;
        for (auto const& unit : units) {
            if (!seen.contains(unit)) break;
            ++known;
        }
        found += std::min(known, (request.input - 1) / size) * size;
        seen.insert(units.begin(), units.end());
    }
    return found;
}

std::int64_t asked(ServiceLoad const& load) {
    std::int64_t tokens = 0;
    for (auto const& request : load.requests) tokens += request.input;
    return tokens;
}

TEST(Prefixes, of_a_cache_without_end_are_those_counted) {
    std::int64_t all = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        auto made = one_by_one(seed);
        made.settings.blocks = 1'000'000;
        auto const found = schedule(made.load, made.settings, several_steps());
        auto const expected = counted(made);
        EXPECT_EQ(found.reused, expected) << seed;
        EXPECT_EQ(found_without_end(made.load, made.settings.prefix_units.tokens), expected) << seed;
        EXPECT_EQ(found.evictions, 0);
        EXPECT_EQ(found.reused + found.computed, asked(made.load)) << seed;
        all += expected;
    }
    EXPECT_GT(all, 10'000);
}

/// Under equal arrivals a larger cache computes no more: what LRU keeps is a part of what it keeps in a larger one.
TEST(Prefixes, are_found_no_less_in_a_larger_cache) {
    std::int64_t grew = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        auto made = one_by_one(seed);
        std::int64_t before = 0;
        for (auto blocks = blocks_of_longest(made); blocks < 6 * blocks_of_longest(made); ++blocks) {
            made.settings.blocks = blocks;
            auto const found = schedule(made.load, made.settings, several_steps());
            ASSERT_GE(found.reused, before) << seed << " with " << blocks;
            ASSERT_EQ(found.reused + found.computed, asked(made.load)) << seed;
            grew += found.reused > before ? 1 : 0;
            before = found.reused;
        }
        EXPECT_LE(before, counted(made));
    }
    EXPECT_GT(grew, 300);
}

/// A cache as small as may be, and a tier that every request fetches from.
RandomCase with_tier(std::uint64_t seed, std::int64_t units) {
    auto made = one_by_one(seed);
    made.settings.blocks = blocks_of_longest(made) + static_cast<std::int64_t>(seed % 5);
    made.settings.tier.units = units;
    made.settings.tier.fetch_seconds = 1e-4;
    made.settings.tier.store_seconds = 2e-4;
    made.settings.tier.latency = 1e-3;
    made.settings.tier.reuse = TierReuse::fetch;
    return made;
}

TEST(Tiers, without_end_find_what_a_cache_without_end_finds) {
    std::int64_t fetched = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        auto made = with_tier(seed, 1'000'000);
        auto const found = schedule(made.load, made.settings, several_steps());
        ASSERT_EQ(found.reused + found.fetched, counted(made)) << seed;
        ASSERT_EQ(found.reused + found.fetched + found.computed, asked(made.load)) << seed;
        fetched += found.fetched;
    }
    EXPECT_GT(fetched, 10'000);
}

/// The tier goes on where the cache ends: what both keep is a part of what they keep with a larger tier.
TEST(Tiers, that_are_larger_compute_no_more) {
    std::int64_t grew = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        std::int64_t before = 0;
        for (std::int64_t units = 0; units < 60; units += units < 20 ? 1 : 10) {
            auto made = with_tier(seed, units);
            auto const found = schedule(made.load, made.settings, several_steps());
            ASSERT_GE(found.reused + found.fetched, before) << seed << " with " << units;
            grew += found.reused + found.fetched > before ? 1 : 0;
            before = found.reused + found.fetched;
        }
    }
    EXPECT_GT(grew, 300);
}

/// A link that is never faster than computing leaves every request as it is without a tier.
TEST(Tiers, behind_a_link_without_bandwidth_are_as_none) {
    std::int64_t evicted = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        auto made = random_case_with_tier(seed);
        auto& tier = made.settings.tier;
        tier.reuse = TierReuse::automatic;
        tier.fetch_seconds = 1e9;
        auto const slow = schedule(made.load, made.settings, several_steps());
        tier.units = 0;
        auto const none_there = schedule(made.load, made.settings, several_steps());
        ASSERT_EQ(slow.requests, none_there.requests) << seed;
        EXPECT_EQ(slow.computed, none_there.computed);
        EXPECT_EQ(slow.fetched, 0);
        evicted += none_there.evictions;
    }
    EXPECT_GT(evicted, 1000);
}

/// What is evicted and computed again takes its energy again: joules are those of the positions that are computed, and
/// of what a tier moves.
TEST(Prefixes, that_are_evicted_take_their_energy_again) {
    std::int64_t again = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        auto made = one_by_one(seed);
        made.settings.blocks = blocks_of_longest(made) + static_cast<std::int64_t>(seed % 5);
        auto const of_positions = [](StepWork const& work) {
            std::int64_t tokens = 0;
            for (auto const& chunk : work.chunks) tokens += chunk.tokens;
            return StepCost{1.0, static_cast<double>(tokens)};
        };
        auto const found = schedule(made.load, made.settings, {of_positions, {}});
        ASSERT_EQ(found.joules, static_cast<double>(asked(made.load) - found.reused)) << seed;
        auto endless = made;
        endless.settings.blocks = 1'000'000;
        auto const kept = schedule(endless.load, endless.settings, {of_positions, {}});
        ASSERT_EQ(found.joules - kept.joules, static_cast<double>(kept.reused - found.reused)) << seed;
        if (found.joules > kept.joules) ++again;
        auto& tier = made.settings.tier;
        tier = with_tier(seed, 1'000'000).settings.tier;
        tier.fetch_joules = 0.25;
        tier.store_joules = 0.5;
        auto const fetched = schedule(made.load, made.settings, {of_positions, {}});
        auto const units = fetched.fetched / made.settings.prefix_units.tokens;
        ASSERT_EQ(fetched.joules, static_cast<double>(asked(made.load) - fetched.reused - fetched.fetched) +
                                      0.25 * static_cast<double>(units) +
                                      0.5 * static_cast<double>(fetched.moved_units - units))
            << seed;
    }
    EXPECT_GT(again, 50);
}

/// Worked by hand: two prompts of 64 tokens in a cache of five blocks of 16, the first again at the end.
TEST(Tiers, move_blocks_beside_the_steps) {
    ServiceLoad load{{{0.0, 64, 1}, {10.0, 64, 1}, {20.0, 64, 1}}, 0};
    auto tree = std::make_shared<Prefixes>();
    tree->parts = {{0, 64}, {0, 64}};
    for (std::uint32_t const part : {0U, 1U, 0U}) {
        tree->steps.push_back(part);
        (void)tree->end_path();
    }
    load.prefixes = tree;
    for (std::uint32_t i = 0; i < 3; ++i) load.requests[i].path = i;
    SchedulerSettings settings;
    settings.blocks = 5;
    settings.prefix_units = {16, 1};
    settings.tier = {100, 0.5, 0.25, 0.125, 3.0, 5.0, 1.0, TierReuse::fetch};
    auto const found = schedule(load, settings, several_steps());
    // The second prompt takes the free block and three of the first one's; the third fetches its second and third
    // block, computes the last one, and so evicts three of the second one's.
    EXPECT_EQ(found.evictions, 3 + 3);
    EXPECT_EQ(found.reused, 16);
    EXPECT_EQ(found.fetched, 32);
    EXPECT_EQ(found.moved_units, 6 + 2);
    EXPECT_EQ(found.requests[2].scheduled, 20.0);
    double const last_step = cost_of_step({{{16, 48}}, {}, 1}).seconds,
                 whole = cost_of_step({{{64, 0}}, {}, 1}).seconds;
    EXPECT_EQ(found.requests[2].first_token, 20.0 + 2 * 0.5 + 0.125 + last_step);
    EXPECT_DOUBLE_EQ(found.busy, 2 * whole + last_step) << "no step waits for a transfer";
    double const steps = 2 * cost_of_step({{{64, 0}}, {}, 1}).joules + cost_of_step({{{16, 48}}, {}, 1}).joules;
    EXPECT_DOUBLE_EQ(found.joules, steps + 2 * 3.0 + 6 * 5.0);
    settings.tier.reuse = TierReuse::automatic;
    EXPECT_EQ(schedule(load, settings, several_steps()).fetched, 0) << "computing 48 tokens takes less than a second";
}

/// A list of units in the order of their last use, and what Belady's rule would find: the unit goes that is used again
/// last, of those that nothing behind them keeps.
struct Replay {
    std::int64_t lru = 0, belady = 0;
};
Replay replay(RandomCase const& made) {
    Replay result;
    std::vector<std::vector<std::string>> all;
    for (auto const& request : made.load.requests) all.push_back(units_of(made, request));
    auto const size = made.settings.prefix_units.tokens;
    for (bool const belady : {false, true}) {
        std::vector<std::string> kept;  // oldest first
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto const& request = made.load.requests[i];
            auto const& own = all[i];
            auto const is_own = [&](auto const& unit) { return std::ranges::find(own, unit) != own.end(); };
            std::int64_t known = 0;
            while (known < std::ssize(own) &&
                   std::ranges::find(kept, own[static_cast<std::size_t>(known)]) != kept.end())
                ++known;
            (belady ? result.belady : result.lru) += std::min(known, (request.input - 1) / size) * size;
            std::erase_if(kept, is_own);
            auto const room = made.settings.blocks - blocks_for(made.settings, request.input + request.output - 1);
            auto const next_use = [&](std::string const& unit) {
                std::size_t next = i + 1;
                while (next < all.size() && std::ranges::find(all[next], unit) == all[next].end()) ++next;
                return next;
            };
            while (std::ssize(kept) > room) {
                auto gone = kept.begin();
                for (auto it = kept.begin(); belady && it != kept.end(); ++it)
                    if (next_use(*it) > next_use(*gone)) gone = it;
                kept.erase(gone);
            }
            for (auto unit = own.rbegin(); unit != own.rend(); ++unit) kept.push_back(*unit);
        }
    }
    return result;
}

TEST(Prefixes, are_those_of_a_replay_and_no_more_than_belady_finds) {
    std::int64_t below = 0, same = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        auto made = one_by_one(seed);
        made.settings.blocks = blocks_of_longest(made) + static_cast<std::int64_t>(seed % 20);
        auto const found = schedule(made.load, made.settings, several_steps());
        auto const expected = replay(made);
        ASSERT_EQ(found.reused, expected.lru) << seed;
        ASSERT_LE(expected.lru, expected.belady) << seed;
        (expected.lru < expected.belady ? below : same) += 1;
    }
    EXPECT_GT(below, 20);
    EXPECT_GT(same, 20);
}

/// Turns that share nothing and do not wait for each other are requests as they always were.
TEST(Sessions, of_one_turn_have_the_bits_of_single_requests) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        auto made = random_case(seed);
        SessionSettings settings;
        settings.seed = seed;
        auto const count = made.load.requests.size();
        auto const turns = turns_of_sessions(settings, count);
        ASSERT_EQ(turns, std::vector<std::int64_t>(count, 1));
        std::vector<double> times;
        std::vector<std::int64_t> input, output;
        for (auto const& request : made.load.requests) {
            times.push_back(request.arrival);
            input.push_back(request.input);
            output.push_back(request.output);
        }
        auto load = load_of_sessions(settings, turns, times, input, output);
        load.concurrency = made.load.concurrency;
        auto const before = schedule(made.load, made.settings, several_steps());
        EXPECT_EQ(schedule(load, made.settings, several_steps()), before);
        made.settings.prefix_units = {made.settings.block_tokens, 1};
        auto const kept = schedule(load, made.settings, several_steps());
        if (before.preemptions > 0) continue;
        EXPECT_EQ(kept.requests, before.requests) << "nobody finds anything";
    }
}

TEST(Sessions, repeat_what_was_said) {
    SessionSettings settings;
    settings.turns = 3.0;
    settings.think = 2.0;
    settings.input = 10;
    settings.output = 4;
    settings.shared_prefix = 32;
    auto const load =
        load_of_sessions(settings, turns_of_sessions(settings, 4), {1.0, 5.0}, {20, 1, 1, 30}, {8, 1, 1, 6});
    ASSERT_EQ(load.requests.size(), 4U);
    EXPECT_EQ(load.requests[0].input, 52);
    EXPECT_EQ(load.requests[1].input, 52 + 8 + 10);
    EXPECT_EQ(load.requests[2].input, 52 + 8 + 10 + 4 + 10);
    EXPECT_EQ(load.requests[3].input, 62);
    EXPECT_EQ(load.requests[2].parent, 1U);
    EXPECT_EQ(load.requests[3].parent, none);
    EXPECT_EQ(rate_of(load), 2.0 / 5.0) << "of sessions";
    EXPECT_EQ(turns_of(load), (std::vector<std::uint32_t>{0, 1, 2, 0}));
    SchedulerSettings cache;
    cache.blocks = 1000;
    cache.prefix_units.tokens = 16;
    auto const found = schedule(load, cache, several_steps());
    EXPECT_EQ(found.requests[1].arrival, found.requests[0].last_token + 2.0);
    // 59 of 70 tokens were said and are in the cache, then 73 of 84, and the first 32 of the other session.
    EXPECT_EQ(found.reused, 48 + 64 + 32);
    EXPECT_EQ(found_without_end(load, 16), 48 + 64 + 32);
}

TEST(Sessions, have_as_many_turns_as_their_distribution_says) {
    SessionSettings settings;
    settings.turns = 4.0;
    settings.geometric = true;
    auto const turns = turns_of_sessions(settings, 40'000);
    EXPECT_EQ(std::accumulate(turns.begin(), turns.end(), std::int64_t{0}), 40'000);
    double const sessions = static_cast<double>(turns.size());
    EXPECT_NEAR(40'000.0 / sessions, 4.0, 0.1);
    EXPECT_NEAR(static_cast<double>(std::ranges::count(turns, 1)) / sessions, 0.25, 0.02);
}

TEST(Sessions, are_served_by_one_engine_and_end_with_a_rejected_turn) {
    SessionSettings settings;
    settings.turns = 5.0;
    auto const turns = turns_of_sessions(settings, 30);
    auto load = load_of_sessions(settings, turns, {0, 1, 2, 3, 4, 5}, std::vector<std::int64_t>(30, 40),
                                 std::vector<std::int64_t>(30, 10));
    SchedulerSettings cache;
    cache.blocks = 13;  // 208 positions: the fifth turn, of 250, is too long
    cache.prefix_units.tokens = 16;
    auto const found = schedule_in_turn(load, cache, several_steps(), 2);
    EXPECT_EQ(found.rejected, 6);
    EXPECT_EQ(found.never_sent, 0);
    load.requests[12].input = 10'000;
    auto const ended = schedule_in_turn(load, cache, several_steps(), 2);
    EXPECT_EQ(ended.rejected, 5 + 3);
    EXPECT_EQ(ended.never_sent, 2);
    EXPECT_TRUE(ended.requests[14].rejected);
    EXPECT_FALSE(ended.requests[11].rejected);
    // The rate of what is served at most is that of sessions.
    cache.blocks = 1000;
    EXPECT_LT(ceiling(load, cache, several_steps(), 2), 10.0);
}

TEST(Past, of_a_trace_names_parents_and_blocks) {
    WrittenTable const table(
        "arrival_s,input_tokens,output_tokens,session,request,parent,blocks,after_s\n"
        "0,40,5,a,r0,,\"1 2 3\",\n"
        "1,48,5,b,r1,,\"1 2 4\",\n"
        ",64,5,a,r2,,\"1 2 3 5\",0.5\n"
        "3,33,5,,r3,r1,\"2 1\",\n");
    auto trace = read_trace(table.path());
    ServiceLoad load{trace.requests};
    set_past(load, trace.past);
    // The third line has no time of its own: it arrives with the first at the earliest.
    ASSERT_EQ(load.requests.size(), 4U);
    std::vector<std::uint32_t> parents;
    for (auto const& request : load.requests) parents.push_back(request.parent);
    EXPECT_EQ(parents, (std::vector<std::uint32_t>{none, 0, none, 2}));
    EXPECT_EQ(load.requests[1].after, 0.5);
    EXPECT_EQ(load.requests[1].arrival, 0.0);
    // "1 2" is shared by three; a last block that is a part of one is no whole block; "2 1" is another beginning.
    EXPECT_EQ(found_without_end(load, 16), 32 + 32);
    EXPECT_EQ(found_without_end(load, 1), 32 + 32);
    EXPECT_EQ(found_without_end(load, 32), 32 + 32);
}

/// A trace of what turns add is the load of sessions with these lengths, bit by bit in what a cache finds.
TEST(Past, of_turns_that_add_equals_sessions) {
    SessionSettings settings;
    std::vector<std::int64_t> const turns{3, 1, 4}, input{40, 7, 90, 64, 16, 17, 1, 33},
        output{5, 8, 1, 9, 30, 2, 16, 4};
    auto const sessions = load_of_sessions(settings, turns, {0.0, 1.0, 2.0}, input, output);
    std::string rows = "arrival_s,input_tokens,output_tokens,session,after_s\n";
    std::size_t next = 0;
    for (std::size_t s = 0; s < turns.size(); ++s)
        for (std::int64_t t = 0; t < turns[s]; ++t, ++next)
            rows += fmt::format("{},{},{},{},{}\n", t == 0 ? fmt::to_string(s) : "", input[next], output[next], s,
                                t == 0 ? "" : "0");
    TraceColumns columns;
    columns.added = true;
    WrittenTable const table(rows);
    auto const trace = read_trace(table.path(), {columns});
    ServiceLoad load{trace.requests};
    set_past(load, trace.past);
    ASSERT_EQ(load.requests.size(), sessions.requests.size());
    for (std::size_t i = 0; i < load.requests.size(); ++i) {
        EXPECT_EQ(load.requests[i].input, sessions.requests[i].input) << i;
        EXPECT_EQ(load.requests[i].parent, sessions.requests[i].parent) << i;
    }
    for (std::int64_t const unit : {1, 7, 16})
        EXPECT_EQ(found_without_end(load, unit), found_without_end(sessions, unit)) << unit;
}

/// Blocks name what a turn adds: of five prompts of 12,732 tokens, whole blocks of 16 behind equal ones are found.
TEST(Past, of_turns_that_add_has_blocks) {
    WrittenTable const table(
        "timestamp,input_length,output_length,session_id,delay,hash_ids\n"
        "0,2048,64,a,,1 2 3 4\n,512,64,a,5000,9\n,512,64,a,4000,10\n"
        "100,2048,64,b,,1 2 3 5\n,700,20,b,1000,9 12\n");
    TraceColumns columns;
    columns.added = true;
    auto const trace = read_trace(table.path(), {columns});
    ServiceLoad load{trace.requests};
    set_past(load, trace.past);
    std::int64_t tokens = 0;
    for (auto const& request : load.requests) tokens += request.input;
    EXPECT_EQ(tokens, 2048 + 2624 + 3200 + 2048 + 2812);
    EXPECT_EQ(found_without_end(load, 16), 2096 + 2672 + 3 * 512 + 2096) << "block 9 stands behind other tokens";
}

}  // namespace
}  // namespace pimdse::sim::serving::test::prefixes_test
