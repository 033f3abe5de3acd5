#include "sim/serving/scheduler.hpp"

#include "sim/base/check.hpp"
#include "sim/serving/summary.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/sim/serving/random_load.hpp"
#include "tests/unit/sim/serving/reference_scheduler.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <limits>

namespace pimdse::sim::serving::test::scheduler_test {
namespace {

std::uint64_t const cases = tests::draws(4000UL);

void expect_the_slow_bits(RandomCase (*draw)(std::uint64_t)) {
    std::int64_t preemptions = 0, rejected = 0, with_preemption = 0, closed = 0;
    std::int64_t reused = 0, evicted = 0, never_sent = 0, fetched = 0, not_fetched = 0, received = 0;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        auto const given = draw(seed);
        auto const slow = SlowScheduler(given.load, given.settings, step_by_step()).run();
        auto const found = schedule(given.load, given.settings, step_by_step());
        ASSERT_EQ(found, slow) << "seed " << seed;
        auto const several = several_steps(given.settings.tokens_per_step);
        ASSERT_EQ(schedule(given.load, given.settings, several), slow) << "several steps, seed " << seed;
        preemptions += slow.preemptions;
        rejected += slow.rejected;
        with_preemption += slow.preemptions > 0 ? 1 : 0;
        closed += given.load.concurrency > 0 ? 1 : 0;
        reused += slow.reused > 0 ? 1 : 0;
        evicted += slow.evictions > 0 ? 1 : 0;
        never_sent += slow.never_sent;
        (slow.fetched > 0 ? fetched : not_fetched) += slow.moved_units > 0 ? 1 : 0;
        received += slow.received > 0 ? 1 : 0;
    }
    if (draw == random_case_with_tier) {
        EXPECT_GT(fetched, static_cast<std::int64_t>(cases) / 10);
        EXPECT_GT(not_fetched, static_cast<std::int64_t>(cases) / 20);
    }
    if (draw == random_case_with_prompt_link) {
        EXPECT_GT(received, static_cast<std::int64_t>(cases) / 4);
    }
    if (draw == random_case_with_past || draw == random_case_with_past_and_windows) {
        EXPECT_GT(reused, static_cast<std::int64_t>(cases) / 4);
        EXPECT_GT(evicted, static_cast<std::int64_t>(cases) / 10);
        EXPECT_GT(never_sent, tests::draws(1000));
    }
    if (draw == random_case_at_the_edge) {
        EXPECT_GT(fetched, static_cast<std::int64_t>(cases) / 100);
        EXPECT_GT(reused, static_cast<std::int64_t>(cases) / 10);
    }
    if (draw == random_case_of_reserved) {
        EXPECT_EQ(preemptions, 0);
    } else {
        EXPECT_GT(with_preemption, static_cast<std::int64_t>(cases) / 10) << "the path of preemptions is walked often";
        EXPECT_GT(preemptions, tests::draws(1000));
    }
    EXPECT_GT(rejected, tests::draws(1000));
    EXPECT_GT(closed, tests::draws(500));
}

TEST(Scheduler, equals_a_slow_one_bit_by_bit) { expect_the_slow_bits(random_case); }

TEST(Scheduler, of_prompts_from_elsewhere_equals_a_slow_one_bit_by_bit) {
    expect_the_slow_bits(random_case_with_prompts);
}

TEST(Scheduler, of_states_equals_a_slow_one_bit_by_bit) { expect_the_slow_bits(random_case_with_states); }

TEST(Scheduler, of_windows_equals_a_slow_one_bit_by_bit) { expect_the_slow_bits(random_case_with_windows); }

TEST(Scheduler, of_sessions_and_prefixes_equals_a_slow_one_bit_by_bit) { expect_the_slow_bits(random_case_with_past); }

TEST(Scheduler, of_prefixes_with_windows_and_states_equals_a_slow_one_bit_by_bit) {
    expect_the_slow_bits(random_case_with_past_and_windows);
}

TEST(Scheduler, of_tiers_equals_a_slow_one_bit_by_bit) { expect_the_slow_bits(random_case_with_tier); }

TEST(Scheduler, at_the_edge_of_its_cache_equals_a_slow_one_bit_by_bit) {
    expect_the_slow_bits(random_case_at_the_edge);
}

TEST(Scheduler, of_prompts_that_arrive_over_a_link_equals_a_slow_one_bit_by_bit) {
    expect_the_slow_bits(random_case_with_prompt_link);
}

/// A window of 4 of 10 positions leaves room for three sequences where all layers without one had room for two.
TEST(Scheduler, holds_the_last_positions_of_windows_only) {
    SchedulerSettings settings{8, 0, 1, 40, AdmissionOrder::fcfs};
    settings.windows = {{4, 1}};
    EXPECT_EQ(blocks_for(settings, 3), 6);
    EXPECT_EQ(blocks_for(settings, 10), 14);
    EXPECT_EQ(longest_cached(settings), 36);
    ServiceLoad const load{std::vector<ServiceRequest>(4, {0.0, 9, 2}), 0};
    auto const at_once = [&](SchedulerSettings const& with) {
        std::int64_t most = 0;
        (void)schedule(load, with, several_steps(), nullptr,
                       [&](EngineActivity const& did) { most = std::max(most, did.running); });
        return most;
    };
    settings.blocks = 38;
    EXPECT_EQ(at_once(settings), 2) << "a prompt takes 13";
    settings.blocks = 42;
    EXPECT_EQ(at_once(settings), 3);
    settings.windows = {{100, 1}};
    EXPECT_EQ(at_once(settings), 2);
    EXPECT_TRUE(is_too_long(settings, {0.0, 20, 3}));
    EXPECT_FALSE(is_too_long(settings, {0.0, 20, 2}));
}

TEST(Scheduler, of_blocks_equals_a_slow_one_bit_by_bit) { expect_the_slow_bits(random_case_of_blocks); }

TEST(Scheduler, that_reserves_outputs_equals_a_slow_one_bit_by_bit) { expect_the_slow_bits(random_case_of_reserved); }

TEST(Scheduler, that_reserves_outputs_admits_what_fits_whole) {
    // Two requests of 4 + 5 tokens, 8 positions each, in a cache of 12: one after the other.
    ServiceLoad const load{{{0.0, 4, 5}, {0.0, 4, 5}}, 0};
    SchedulerSettings settings{8, 0, 1, 12, AdmissionOrder::fcfs};
    settings.reserves_output = true;
    auto const found = schedule(load, settings, several_steps());
    EXPECT_EQ(found.requests[1].scheduled, found.requests[0].last_token);
    EXPECT_EQ(found.peak_blocks, 8);
}

/// A load that is given up has too many bad requests, and one that is not has the bits of one that is served whatever
/// happens.
TEST(Scheduler, gives_up_only_what_is_lost) {
    int given_up = 0, kept = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        auto const given = seed % 3 == 0   ? random_case(seed)
                           : seed % 3 == 1 ? random_case_with_tier(seed)
                                           : random_case_with_prompt_link(seed);
        Draws draws(seed + 77);
        GiveUp const give_up{{draws.fraction(), 0.05 * draws.fraction()}, draws.between(0, 20)};
        auto const whole = schedule(given.load, given.settings, several_steps());
        auto const found = schedule(given.load, given.settings, several_steps(), &give_up);
        auto const seen = summarise(given.load, given.settings, whole, give_up.objectives, 0.0);
        auto const bad = seen.requests - seen.good;
        if (found.given_up) {
            ++given_up;
            EXPECT_GT(bad, give_up.max_bad) << seed;
        } else {
            ++kept;
            EXPECT_EQ(found, whole) << seed;
        }
    }
    EXPECT_GT(given_up, 100);
    EXPECT_GT(kept, 100);
}

/// Limits that a schedule never comes near do not matter.
TEST(Scheduler, is_the_same_with_every_limit_above_its_peaks) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        auto given = seed % 3 == 0   ? random_case(seed)
                     : seed % 3 == 1 ? random_case_with_tier(seed)
                                     : random_case_with_prompt_link(seed);
        GiveUp const give_up{{0.5, 0.02}, 5};
        auto const found = schedule(given.load, given.settings, several_steps(), &give_up);
        auto const tokens = given.settings.max_batched_tokens;
        bool const far =
            found.peak_sequences < given.settings.max_sequences && (tokens == 0 || found.peak_tokens < tokens);
        if (!far) continue;
        ++compared;
        Draws draws(seed + 99);
        given.settings.max_sequences = found.peak_sequences + draws.between(1, 20);
        given.settings.max_batched_tokens = found.peak_tokens + draws.between(1, 200);
        EXPECT_EQ(schedule(given.load, given.settings, several_steps(), &give_up), found) << seed;
    }
    EXPECT_GT(compared, 100);
}

TEST(Scheduler, asks_for_fewer_steps_than_it_takes) {
    std::int64_t steps = 0, asked = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        auto const given = random_case(seed);
        StepLaw law = several_steps();
        law.one = [&](StepWork const& work) {
            ++asked;
            return cost_of_step(work);
        };
        law.many = [&](StepWork const& work, std::span<StepCost> costs) {
            ++asked;
            costs_of_steps(work, 1, costs);
        };
        steps += schedule(given.load, given.settings, law).steps;
    }
    EXPECT_LT(2 * asked, steps);
}

TEST(Scheduler, loses_no_request_and_no_token) {
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        auto const given = random_case(seed);
        std::int64_t yielded = 0, heads_of_all = 0;
        StepLaw law = step_by_step();
        law.one = [&](StepWork const& work) {
            heads_of_all += work.heads;
            return cost_of_step(work);
        };
        auto const found = schedule(given.load, given.settings, law);
        std::int64_t rejected = 0, preemptions = 0;
        for (std::size_t i = 0; i < found.requests.size(); ++i) {
            auto const& times = found.requests[i];
            preemptions += times.preemptions;
            rejected += times.rejected ? 1 : 0;
            auto const& asked = given.load.requests[i];
            EXPECT_EQ(times.rejected,
                      asked.input + asked.output - 1 > given.settings.blocks * given.settings.block_tokens);
            if (times.rejected) continue;
            yielded += asked.output;
            EXPECT_LE(times.arrival, times.scheduled);
            EXPECT_LT(times.scheduled, times.first_token);
            EXPECT_EQ(times.first_token == times.last_token, asked.output == 1);
            EXPECT_LE(times.first_token, times.last_token);
            EXPECT_LE(times.last_token, found.end);
        }
        EXPECT_EQ(yielded, heads_of_all);
        EXPECT_EQ(rejected, found.rejected);
        EXPECT_EQ(preemptions, found.preemptions);
        EXPECT_LE(found.peak_blocks, given.settings.blocks);
        EXPECT_LE(found.busy, found.end + 1e-9);
    }
}

TEST(Scheduler, keeps_every_step_within_its_limits) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        auto const given = random_case(seed);
        StepLaw law = step_by_step();
        law.one = [&](StepWork const& work) {
            auto const sequences = static_cast<std::int64_t>(work.chunks.size() + work.contexts.size());
            auto tokens = static_cast<std::int64_t>(work.contexts.size());
            std::int64_t positions = 0;
            for (auto const& chunk : work.chunks) tokens += chunk.tokens;
            for (auto const& chunk : work.chunks) positions += chunk.tokens + chunk.cached;
            for (auto const context : work.contexts) positions += context;
            EXPECT_GT(sequences, 0);
            EXPECT_LE(sequences, given.settings.max_sequences);
            EXPECT_LE(work.heads, sequences);
            EXPECT_LE(positions, given.settings.blocks * given.settings.block_tokens);
            if (given.settings.max_batched_tokens > 0) {
                EXPECT_LE(tokens, given.settings.max_batched_tokens);
            }
            return cost_of_step(work);
        };
        (void)schedule(given.load, given.settings, law);
    }
}

TEST(Scheduler, of_blocks_yields_every_token_within_its_limits) {
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        auto const given = random_case_of_blocks(seed);
        auto const block = given.settings.tokens_per_step;
        auto const whole = [&](std::int64_t tokens) { return (tokens + block - 1) / block; };
        std::int64_t blocks = 0;
        StepLaw law = step_by_step();
        law.one = [&](StepWork const& work) {
            blocks += work.heads;
            auto positions = block * static_cast<std::int64_t>(work.contexts.size()), held = std::int64_t{0};
            auto begins = std::int64_t{0};
            EXPECT_EQ(work.ahead.size(), work.contexts.size());
            for (auto const& chunk : work.chunks) {
                begins += chunk.ahead > 0 ? 1 : 0;
                positions += chunk.tokens + (chunk.ahead > 0 ? block : 0);
                held += chunk.cached + chunk.tokens + (chunk.ahead > 0 ? block : 0);
            }
            for (auto const context : work.contexts) held += context - 1 + block;
            for (auto const ahead : work.ahead) EXPECT_TRUE(ahead > 0 && ahead % block == 0);
            EXPECT_GT(positions, 0);
            EXPECT_EQ(work.heads, static_cast<std::int64_t>(work.contexts.size()) + begins);
            EXPECT_LE(held, given.settings.blocks * given.settings.block_tokens);
            if (given.settings.max_batched_tokens > 0) {
                EXPECT_LE(positions, given.settings.max_batched_tokens);
            }
            return cost_of_step(work);
        };
        auto const found = schedule(given.load, given.settings, law);
        std::int64_t expected = 0;
        for (std::size_t i = 0; i < found.requests.size(); ++i) {
            auto const& times = found.requests[i];
            auto const& asked = given.load.requests[i];
            EXPECT_EQ(times.rejected,
                      asked.input + block * whole(asked.output) > given.settings.blocks * given.settings.block_tokens);
            if (times.rejected) continue;
            expected += whole(asked.output);
            EXPECT_LT(times.scheduled, times.first_token);
            EXPECT_LT(times.first_token, times.last_token) << "first tokens of a block come before its end";
            EXPECT_LE(times.last_token, found.end);
        }
        EXPECT_EQ(blocks, expected);
    }
}

TEST(Scheduler, of_blocks_computes_the_prompt_with_the_first_block) {
    // The third prompt has no room for a block beside it in the first step, which has 18 tokens.
    ServiceLoad const load{{{0.0, 5, 10}, {0.0, 3, 4}, {0.0, 2, 1}}, 0};
    SchedulerSettings settings{8, 18, 1, 100, AdmissionOrder::fcfs};
    settings.tokens_per_step = 4;
    std::vector<StepWork> works;
    StepLaw law = step_by_step();
    law.one = [&](StepWork const& work) {
        works.push_back(work);
        return cost_of_step(work);
    };
    auto const found = schedule(load, settings, law);
    std::vector<StepWork> const expected{
        {{{5, 0, 12}, {3, 0, 4}, {2, 0, 0}}, {}, 2, {}}, {{}, {10, 3}, 2, {8, 4}}, {{}, {14}, 1, {4}}};
    EXPECT_EQ(works, expected);
    auto const first = cost_of_step(works[0]), second = cost_of_step(works[1]);
    EXPECT_EQ(found.requests[0].first_token, first.first_tokens);
    EXPECT_EQ(found.requests[1].first_token, first.first_tokens);
    EXPECT_EQ(found.requests[1].last_token, first.seconds);
    EXPECT_EQ(found.requests[2].first_token, first.seconds + second.first_tokens);
    EXPECT_EQ(found.requests[2].last_token, first.seconds + second.seconds);
    EXPECT_EQ(found.peak_blocks, 13 + 6);
}

TEST(Scheduler, of_blocks_begins_again_after_the_last_complete_one) {
    // 4 + 9 tokens in blocks of 3 need 13 of 20 positions: the second request gives way, and its prompt contains a
    // block when it comes back.
    ServiceLoad const load{{{0.0, 4, 9}, {0.0, 4, 9}}, 0};
    SchedulerSettings settings{8, 0, 1, 20, AdmissionOrder::fcfs};
    settings.tokens_per_step = 3;
    std::vector<StepWork> works;
    StepLaw law = step_by_step();
    law.one = [&](StepWork const& work) {
        works.push_back(work);
        return cost_of_step(work);
    };
    auto const found = schedule(load, settings, law);
    std::vector<StepWork> const expected{
        {{{4, 0, 9}, {4, 0, 9}}, {}, 2, {}}, {{}, {8, 8}, 2, {6, 6}}, {{}, {11}, 1, {3}}, {{{10, 0, 3}}, {}, 1, {}}};
    EXPECT_EQ(works, expected);
    EXPECT_EQ(found.preemptions, 1);
}

TEST(Scheduler, admits_in_the_order_of_arrival) {
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        auto given = random_case(seed);
        given.settings.policy = AdmissionOrder::fcfs;
        auto const found = schedule(given.load, given.settings, several_steps());
        double last = 0.0;
        for (auto const& times : found.requests) {
            if (times.rejected) continue;
            EXPECT_GE(times.scheduled, last);
            last = times.scheduled;
        }
    }
}

TEST(Scheduler, admits_the_shortest_prompt_of_those_that_wait) {
    ServiceLoad const load{{{0.0, 50, 5}, {0.0, 30, 5}, {0.0, 10, 5}, {0.0, 20, 5}}, 0};
    SchedulerSettings settings{1, 0, 1, 1000, AdmissionOrder::shortest_prompt};
    auto const found = schedule(load, settings, several_steps()).requests;
    EXPECT_LT(found[2].scheduled, found[3].scheduled);
    EXPECT_LT(found[3].scheduled, found[1].scheduled);
    EXPECT_LT(found[1].scheduled, found[0].scheduled);
}

TEST(Scheduler, cuts_a_prompt_where_the_limit_of_tokens_ends) {
    ServiceLoad const load{{{0.0, 25, 3}, {0.0, 10, 3}}, 0};
    SchedulerSettings const settings{8, 10, 4, 100, AdmissionOrder::fcfs};
    std::vector<StepWork> works;
    StepLaw law = step_by_step();
    law.one = [&](StepWork const& work) {
        works.push_back(work);
        return cost_of_step(work);
    };
    (void)schedule(load, settings, law);
    std::vector<StepWork> const expected{{{{10, 0}}, {}, 0},  {{{10, 10}}, {}, 0}, {{{5, 20}, {5, 0}}, {}, 1},
                                         {{{5, 5}}, {26}, 2}, {{}, {27, 11}, 2},   {{}, {12}, 1}};
    EXPECT_EQ(works, expected);
}

TEST(Scheduler, computes_the_tokens_of_a_preempted_request_again) {
    // Two requests of 4 + 5 tokens (8 positions each) in a cache of 12 positions: the second gives way when the first
    // needs its seventh position.
    ServiceLoad const load{{{0.0, 4, 5}, {0.0, 4, 5}}, 0};
    SchedulerSettings const settings{8, 0, 1, 12, AdmissionOrder::fcfs};
    std::vector<StepWork> works;
    StepLaw law = step_by_step();
    law.one = [&](StepWork const& work) {
        works.push_back(work);
        return cost_of_step(work);
    };
    auto const found = schedule(load, settings, law);
    EXPECT_EQ(found.preemptions, 1);
    EXPECT_EQ(found.requests[1].preemptions, 1);
    std::vector<StepWork> const expected{
        {{{4, 0}, {4, 0}}, {}, 2}, {{}, {5, 5}, 2}, {{}, {6, 6}, 2}, {{}, {7}, 1}, {{}, {8}, 1},
        {{{7, 0}}, {}, 1},         {{}, {8}, 1}};
    EXPECT_EQ(works, expected);
    EXPECT_EQ(found.peak_blocks, 12);
}

TEST(Scheduler, lets_a_user_wait_for_the_request_before) {
    ServiceLoad const load{{{0.0, 4, 5}, {0.0, 4, 5}, {0.0, 4, 5}}, 1};
    auto const found = schedule(load, {8, 0, 1, 100, AdmissionOrder::fcfs}, several_steps()).requests;
    EXPECT_EQ(found[1].arrival, found[0].last_token);
    EXPECT_EQ(found[2].arrival, found[1].last_token);
}

TEST(Scheduler, refuses_settings_and_costs_without_meaning) {
    ServiceLoad const load{{{0.0, 4, 5}}, 0};
    SchedulerSettings settings;
    EXPECT_NO_THROW((void)schedule({}, settings, several_steps()));
    settings.blocks = 0;
    EXPECT_THROW((void)schedule(load, settings, several_steps()), ContractViolation);
    settings.blocks = 10;
    EXPECT_THROW((void)schedule(load, settings, {}), ContractViolation);
    EXPECT_THROW((void)schedule({{{1.0, 4, 5}, {0.5, 4, 5}}, 0}, settings, several_steps()), ContractViolation);
    EXPECT_THROW((void)schedule({{{0.0, 0, 5}}, 0}, settings, several_steps()), ContractViolation);
    settings.tokens_per_step = 5000;
    EXPECT_THROW((void)schedule(load, settings, several_steps()), ContractViolation) << "no step has room for a block";
    settings.tokens_per_step = 1;
    StepLaw const late{[](StepWork const&) { return StepCost{1.0, 0.0, 2.0}; }, {}};
    EXPECT_THROW((void)schedule(load, settings, late), ContractViolation) << "first tokens after the end of the step";
    StepLaw const endless{[](StepWork const&) { return StepCost{std::numeric_limits<double>::infinity(), 0.0}; }, {}};
    EXPECT_THROW((void)schedule(load, settings, endless), ContractViolation);
}

}  // namespace
}  // namespace pimdse::sim::serving::test::scheduler_test
