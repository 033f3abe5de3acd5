#include "models/contract/request_result.hpp"
#include "models/contract/validation.hpp"
#include "models/text/result.hpp"
#include "models/text/text.hpp"
#include "sim/serving/scheduler.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

/// Steps of a serving engine against the passes and samplings of a request.
namespace pimdse::models::dplena::step_test {
namespace {

using sim::serving::Schedule;
using sim::serving::StepCost;
using sim::serving::StepWork;
using support::Rng;
using support::Settings;
using support::with;

std::string text(std::int64_t number) { return std::to_string(number); }

std::string told(Settings const& settings) {
    std::string all;
    for (auto const& [name, setting] : settings) all += name + " " + setting + ", ";
    return all;
}

ServiceEngine engine_of(Settings const& settings, Fidelity fidelity = Fidelity::analytic) {
    auto made = support::architecture().engine(support::inputs(), support::point(settings), fidelity);
    if (auto const* no = std::get_if<Infeasible>(&made)) throw std::runtime_error(no->rule + ": " + no->reason);
    return std::get<ServiceEngine>(std::move(made));
}

/// All requests of the batch at once, with a cache and steps that hold them.
Schedule served(Settings const& settings, Fidelity fidelity) {
    auto const d = support::design(settings);
    auto const engine = engine_of(settings, fidelity);
    sim::serving::ServiceLoad load;
    load.requests.assign(static_cast<std::size_t>(d.batch), {0.0, d.input, d.output});
    sim::serving::SchedulerSettings scheduler;
    scheduler.max_sequences = engine.max_sequences;
    scheduler.max_batched_tokens = 0;
    scheduler.blocks = d.batch * (d.input + d.output);
    scheduler.tokens_per_step = engine.tokens_per_step;
    scheduler.reserves_output = engine.reserves_output;
    return schedule(load, scheduler, engine.law);
}

/// Settings of the machine that change the sampling or the passes.
Settings machine_of(Rng& rng, std::int64_t batch) {
    Settings s{{"vlen", rng.one_of<std::string>({"512", "1024", "2048"})},
               {"prefetch", rng.one_of<std::string>({"2", "4"})},
               {"channels", rng.one_of<std::string>({"16", "32"})},
               {"hbm_bus", rng.one_of<std::string>({"compat", "corrected"})},
               {"refresh", rng.one_of<std::string>({"off", "on"})},
               {"matrix_block", rng.one_of<std::string>({"16", "128", "512"})},
               {"matrix_depth", rng.one_of<std::string>({"64", "256", "2048"})},
               {"weight_bits", rng.one_of<std::string>({"4", "8"})},
               {"layer_overhead", rng.one_of<std::string>({"0 s", "3 us"})},
               {"attained_share", rng.one_of<std::string>({"1", "0.6"})},
               {"temperature", rng.one_of<std::string>({"0", "0", "0.7"})},
               {"memories", rng.one_of<std::string>({"separate", "unified"})}};
    if (rng.below(4) == 0) return with(s, {{"sampler", "host"}});
    s = with(s, {{"overlap", rng.one_of<std::string>({"none", "prefetch", "dual_issue", "fused_head"})},
                 {"buffers", "2"},
                 {"passes", "1"}});
    if (rng.below(3) == 0) return with(s, {{"mode", "edge"}, {"v_chunk", "8192"}});
    return batch % 2 == 0 && rng.below(2) == 0 ? with(s, {{"preload", "2"}, {"sram_limit", "1000000000"}})
                                               : with(s, {{"sram_limit", "1000000000"}});
}

Settings request_of(Rng& rng, std::int64_t max_sequences, std::int64_t output) {
    auto const batch = 1 + rng.below(max_sequences);
    return with(machine_of(rng, batch), {{"scope", "end_to_end"},
                                         {"batch", text(batch)},
                                         {"input", text(1 + rng.below(700))},
                                         {"generation_length", text(output)}});
}

Settings diffusion_of(Rng& rng, std::int64_t max_sequences) {
    auto const block = 2 + rng.below(40);
    return with(request_of(rng, max_sequences, block * (1 + rng.below(6))),
                {{"llm", rng.one_of<std::string>({"llada-8b", "dream-7b", "llada-moe-7b-a1b", "gpt-oss-20b"})},
                 {"block_length", text(block)},
                 {"steps", text(1 + rng.below(12))},
                 {"step_logits", rng.one_of<std::string>({"overwrite", "apart"})},
                 {"model_cache", rng.one_of<std::string>({"none", "prefix", "dual"})},
                 {"remasking", rng.one_of<std::string>({"low_confidence", "random", "threshold", "factor"})}});
}

Settings tokens_of(Rng& rng, std::int64_t max_sequences) {
    return with(request_of(rng, max_sequences, 1 + rng.below(200)),
                {{"generation", "autoregressive"},
                 {"model_bandwidth", rng.one_of<std::string>({"0 GB/s", "60 GB/s", "120 GB/s", "240 GB/s"})},
                 {"llm", rng.one_of<std::string>({"llama-3-8b", "opt-125m", "gemma-2-9b", "gpt-oss-20b", "mixtral-8x7b",
                                                  "llama-3.2-1b"})}});
}

/// `count` feasible settings that `draw` makes.
template <class Draw, class Check>
void for_feasible(std::uint64_t seed, int count, Draw draw, Check check) {
    Rng rng(seed);
    int tried = 0;
    for (int i = 0; i < pimdse::tests::draws(count, 5); ++tried) {
        ASSERT_LT(tried, 50 * count) << "designs are feasible";
        auto const settings = draw(rng);
        if (!support::broken_rule(settings).empty()) continue;
        SCOPED_TRACE(told(settings));
        check(settings);
        ++i;
    }
}

void expect_close(double found, double expected, double tolerance) {
    EXPECT_NEAR(found, expected, tolerance * std::abs(expected));
}

void expect_the_batch(Settings const& settings, Fidelity fidelity) {
    auto const found = served(settings, fidelity);
    for (auto const& times : found.requests) {
        expect_close(times.first_token, support::value(settings, "ttft", fidelity), 1e-12);
        expect_close(times.last_token, support::value(settings, "latency", fidelity), 1e-12);
    }
    expect_close(found.joules, support::value(settings, "energy", fidelity), 1e-12);
    EXPECT_EQ(found.busy, found.end);
}

/// The consistency law: requests that arrive together, with equal lengths, take what evaluate says of that batch.
TEST(Step, of_blocks_of_equal_requests_at_once_gives_the_batch) {
    for_feasible(
        1, 250, [](Rng& rng) { return diffusion_of(rng, 12); },
        [](Settings const& settings) {
            expect_the_batch(settings, Fidelity::analytic);
            auto const d = support::design(settings);
            EXPECT_EQ(served(settings, Fidelity::analytic).steps, d.output / d.block_length);
        });
}

TEST(Step, of_blocks_at_cycle_level_gives_the_batch) {
    for_feasible(
        2, 12, [](Rng& rng) { return diffusion_of(rng, 3); },
        [](Settings const& settings) { expect_the_batch(settings, Fidelity::cycle); });
}

void expect_the_tokens(Settings const& settings, Fidelity fidelity) {
    ASSERT_EQ(served(settings, fidelity).steps, support::design(settings).output);
    expect_the_batch(settings, fidelity);
}

TEST(Step, of_tokens_of_equal_requests_at_once_gives_the_batch) {
    for_feasible(
        3, 250, [](Rng& rng) { return tokens_of(rng, 40); },
        [](Settings const& settings) { expect_the_tokens(settings, Fidelity::analytic); });
}

/// Products overtake transfers within these requests: the pass of the mean context is shorter than the mean of passes.
TEST(Step, of_tokens_whose_limit_changes_gives_the_batch) {
    double largest = 0.0;
    for (auto const* input : {"100", "300", "500", "700", "900"}) {
        Settings const settings{{"scope", "end_to_end"},     {"generation", "autoregressive"},
                                {"llm", "llama-3-8b"},       {"batch", "16"},
                                {"matrix_depth", "320"},     {"input", input},
                                {"generation_length", "400"}};
        expect_the_tokens(settings, Fidelity::analytic);
        auto const d = support::served(settings);
        text::CostLaw const law(d.prepared->machine(), d.hardware, Fidelity::analytic);
        double const at_mean = text::ModelPasses(law, d.request, d.logit_bytes())
                                   .of(passes_of(d.request).round.front().shape, text::Phase::decode)
                                   .total();
        largest = std::max(largest, text::analytic(d).round.total() / at_mean - 1.0);
    }
    EXPECT_GT(largest, 1e-4);
    EXPECT_LT(largest, 0.02);
}

TEST(Step, of_tokens_at_cycle_level_gives_the_batch) {
    for_feasible(
        4, 20, [](Rng& rng) { return tokens_of(rng, 6); },
        [](Settings const& settings) { expect_the_tokens(settings, Fidelity::cycle); });
}

TEST(Step, beyond_windows_of_attention_gives_the_batch) {
    Settings const sliding{{"scope", "end_to_end"}, {"generation", "autoregressive"},
                           {"llm", "gpt-oss-20b"},  {"batch", "3"},
                           {"input", "100"},        {"generation_length", "150"}};
    expect_the_batch(sliding, Fidelity::analytic);  // windows of 128
    expect_the_batch(with(sliding, {{"input", "1000"}}), Fidelity::analytic);
}

bool same_bits(StepCost const& a, StepCost const& b) {
    return std::memcmp(&a.seconds, &b.seconds, sizeof a.seconds) == 0 &&
           std::memcmp(&a.joules, &b.joules, sizeof a.joules) == 0 &&
           std::memcmp(&a.first_tokens, &b.first_tokens, sizeof a.first_tokens) == 0;
}

StepWork decoding(Rng& rng, ServiceEngine const& engine) {
    StepWork work;
    auto const sequences = 1 + rng.below(engine.max_sequences), block = engine.tokens_per_step;
    for (std::int64_t i = 0; i < sequences; ++i) {
        work.contexts.push_back(2 + rng.below(400));
        if (block > 1) work.ahead.push_back(block * (8 + rng.below(4)));
    }
    work.heads = sequences;
    return work;
}

StepWork with_prompts(Rng& rng, ServiceEngine const& engine, StepWork work) {
    for (auto more = 1 + rng.below(3); more > 0; --more) {
        bool const ends = rng.below(2) == 0 && work.heads < engine.max_sequences;
        work.chunks.push_back({1 + rng.below(300), rng.below(3) == 0 ? rng.below(300) : 0, 0});
        if (ends && engine.tokens_per_step > 1) work.chunks.back().ahead = engine.tokens_per_step * (1 + rng.below(5));
        if (ends) ++work.heads;
    }
    return work;
}

template <class Check>
void for_engines(std::uint64_t seed, int count, Fidelity fidelity, Check check) {
    for_feasible(
        seed, count, [](Rng& rng) { return rng.below(2) == 0 ? diffusion_of(rng, 6) : tokens_of(rng, 20); },
        [&](Settings const& settings) {
            Rng rng(seed);
            check(rng, engine_of(settings, fidelity));
        });
}

TEST(Step, several_at_once_have_the_bits_of_each) {
    for_engines(5, 80, Fidelity::analytic, [](Rng& rng, ServiceEngine const& engine) {
        auto work = decoding(rng, engine);
        std::vector<StepCost> costs(8);
        engine.law.many(work, costs);
        for (auto const& cost : costs) {
            ASSERT_TRUE(same_bits(cost, engine.law.one(work)));
            for (auto& context : work.contexts) context += engine.tokens_per_step;
            for (auto& positions : work.ahead) positions -= engine.tokens_per_step;
        }
    });
}

/// Requests that come and go, prompts that are cut, and a cache that is short.
TEST(Step, schedules_have_the_same_bits_if_steps_are_costed_together) {
    for_engines(8, 30, Fidelity::analytic, [](Rng& rng, ServiceEngine const& engine) {
        sim::serving::ServiceLoad load;
        double now = 0.0;
        for (int i = 0; i < 40; ++i) {
            load.requests.push_back({now, 1 + rng.below(300), 1 + rng.below(150)});
            now += 0.2 * rng.unit();
        }
        sim::serving::SchedulerSettings settings;
        settings.max_sequences = engine.max_sequences;
        settings.max_batched_tokens = 100 + rng.below(200);
        settings.blocks = 80;
        settings.tokens_per_step = engine.tokens_per_step;
        settings.reserves_output = engine.reserves_output;
        auto alone = engine.law;
        alone.many = {};
        auto const found = schedule(load, settings, engine.law);
        EXPECT_EQ(found, schedule(load, settings, alone));
        EXPECT_EQ(found.rejected, 0);
        EXPECT_GT(found.busy, 0.0);
    });
}

TEST(Step, takes_at_least_its_lower_bound) {
    for_engines(6, 25, Fidelity::cycle, [](Rng& rng, ServiceEngine const& engine) {
        for (auto const& work :
             {decoding(rng, engine), with_prompts(rng, engine, {}), with_prompts(rng, engine, decoding(rng, engine))}) {
            double const seconds = engine.law.one(work).seconds, min_seconds = engine.min_seconds(work);
            EXPECT_LE(min_seconds, seconds * (1.0 + 1e-12));
            EXPECT_GT(min_seconds, 0.2 * seconds);
        }
    });
}

TEST(Step, costs_more_with_more_and_shares_the_weights) {
    for_engines(7, 120, Fidelity::analytic, [](Rng& rng, ServiceEngine const& engine) {
        auto const tokens = decoding(rng, engine);
        auto const prompts = with_prompts(rng, engine, {});
        auto both = tokens;
        both.chunks = prompts.chunks;
        both.heads += prompts.heads;
        auto const a = engine.law.one(tokens), b = engine.law.one(prompts), all = engine.law.one(both);
        EXPECT_GE(all.seconds, std::max(a.seconds, b.seconds) * (1.0 - 1e-12));
        EXPECT_LE(all.seconds, (a.seconds + b.seconds) * (1.0 + 1e-12));
        EXPECT_GE(all.joules, std::max(a.joules, b.joules) * (1.0 - 1e-12));
        for (auto const& cost : {a, b, all}) {
            EXPECT_GE(cost.joules, engine.idle_power * cost.seconds);
            EXPECT_LE(cost.first_tokens, cost.seconds);
        }
        auto longer = both;
        for (auto& chunk : longer.chunks) chunk.tokens += 5;
        for (auto& context : longer.contexts) context += 40;
        EXPECT_GE(engine.law.one(longer).seconds, all.seconds);
        EXPECT_GT(engine.law.one(longer).joules, all.joules);
    });
}

/// Parts of a prompt together cost at least the whole, which reads the weights once.
TEST(Step, of_a_part_of_a_prompt_reads_what_is_cached) {
    Settings const machine{{"scope", "end_to_end"}, {"batch", "4"}};
    auto const tokens =
        engine_of(with(machine, {{"generation", "autoregressive"}, {"llm", "llama-3-8b"}, {"channels", "32"}}));
    StepWork const whole{{{4096, 0}}, {}, 1}, first{{{2048, 0}}, {}, 0}, second{{{2048, 2048}}, {}, 1};
    double const together = tokens.law.one(whole).seconds;
    expect_close(tokens.law.one(first).seconds + tokens.law.one(second).seconds, together, 1e-2);
    EXPECT_GT(tokens.law.one(first).seconds + tokens.law.one(second).seconds, together);
    auto const blocks = engine_of(with(machine, {{"steps", "1"}}));
    StepWork const prompt{{{512, 0, 64}}, {}, 1}, part{{{300, 0, 0}}, {}, 0}, rest{{{212, 300, 64}}, {}, 1};
    EXPECT_GT(blocks.law.one(part).seconds + blocks.law.one(rest).seconds, blocks.law.one(prompt).seconds);
    EXPECT_LE(blocks.law.one(rest).seconds, blocks.law.one(prompt).seconds);
}

/// The cache takes what weights and logits leave: one position more does not fit the capacity rule.
TEST(Step, cache_fills_the_memory) {
    for (auto const& settings :
         {Settings{{"scope", "end_to_end"}, {"batch", "4"}, {"block_length", "32"}, {"generation_length", "32"}},
          Settings{{"scope", "end_to_end"},
                   {"generation", "autoregressive"},
                   {"llm", "llama-3.1-8b"},
                   {"batch", "1"},
                   {"generation_length", "1"}}}) {
        auto const d = support::design(settings);
        auto const engine = engine_of(settings);
        auto const positions = static_cast<std::int64_t>(engine.cache_bytes / engine.position_bytes);
        auto served = support::served(settings);
        double const memory = served.hardware.memories.front().capacity;
        served.request.input = positions / d.batch - d.output;
        EXPECT_LE(text::footprint(served).front(), memory);
        ++served.request.input;
        EXPECT_GT(text::footprint(served).front(), memory);
        EXPECT_EQ(engine.max_sequences, d.batch);
        EXPECT_EQ(engine.reserves_output, d.diffuses());
    }
}

TEST(Step, is_refused_where_it_is_not_modelled) {
    auto const rule = [](Settings const& settings) -> std::string {
        auto const made =
            support::architecture().engine(support::inputs(), support::point(settings), Fidelity::analytic);
        auto const* no = std::get_if<Infeasible>(&made);
        return no == nullptr ? "" : no->rule;
    };
    Settings const tokens{{"scope", "end_to_end"}, {"generation", "autoregressive"}, {"llm", "llama-3-8b"}};
    EXPECT_EQ(rule(tokens), "");
    EXPECT_EQ(rule({{"scope", "end_to_end"}}), "");
    EXPECT_EQ(rule({}), "traffic");
    EXPECT_EQ(rule(with(tokens, {{"draft", "3"}})), "traffic");
    EXPECT_EQ(rule({{"scope", "end_to_end"}, {"host_fifo", "32"}}), "traffic");
    EXPECT_EQ(rule({{"scope", "end_to_end"}, {"block_length", "1"}}), "traffic");
    EXPECT_EQ(rule(with(tokens, {{"channels", "1"}})), "memory");
    EXPECT_EQ(rule(with(tokens, {{"llm", "llada-8b"}})), "generation");
    EXPECT_EQ(rule({{"scope", "end_to_end"}, {"generation_length", "33"}, {"input", "100000"}}), "")
        << "lengths are those of the requests";
}

}  // namespace
}  // namespace pimdse::models::dplena::step_test
