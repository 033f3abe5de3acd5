#include "models/text/pass.hpp"
#include "models/text/text.hpp"
#include "sim/base/check.hpp"
#include "sim/base/random.hpp"
#include "sim/serving/scheduler.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/text/given.hpp"

#include <gtest/gtest.h>
#include <cstring>
#include <string>
#include <vector>

/// Steps of a serving engine against the passes of a request.
namespace pimdse::models::text::test::step_test {
namespace {

using sim::serving::Schedule;
using sim::serving::StepCost;
using sim::serving::StepLaw;
using sim::serving::StepWork;

std::vector<Settings> designs() {
    return {{},
            {{"llm", "llama-3-8b"}, {"device", "h100"}, {"kv_cache", "8bit"}},
            {{"llm", "llama-3.2-1b"}, {"device", "rtx_a6000"}, {"weights", "int8"}, {"layer_overhead", "0 s"}},
            {{"llm", "gemma-2-9b"}, {"device", "h100"}, {"weights", "fp8"}},  // sliding windows
            {{"llm", "qwen3-30b-a3b"}, {"device", "h100"}},                   // experts
            {{"llm", "gpt-oss-20b"}, {"device", "h100"}},                     // experts, a file's format
            {{"llm", "qwen3-next-80b-a3b"}, {"device", "h100"}},              // states
            {{"llm", "nemotron-h-8b"}, {"device", "a100"}},                   // states, layers of one part
            {{"llm", "gemma-3n-e4b"}, {"device", "h100"}},                    // shared keys
            {{"llm", "llama-3-8b"}, {"attained_share", "0.3"}}};
}

std::vector<Settings> diffusion_designs() {
    Settings const llada{{"llm", "llada-8b"}, {"generation", "diffusion"}, {"steps", "6"}};
    return {llada,
            llada.with("model_cache", "prefix"),
            llada.with("model_cache", "none").with("device", "h100"),
            llada.with("steps", "1").with("weights", "int8"),
            llada.with("power_limit", "160 W"),
            {{"llm", "llada-moe-7b-a1b"}, {"generation", "diffusion"}, {"model_cache", "prefix"}, {"steps", "3"}}};
}

/// All requests at once, with a cache and steps that hold them.
Schedule served(Design const& design) {
    auto const& d = design.request;
    sim::serving::ServiceLoad load;
    load.requests.assign(static_cast<std::size_t>(d.batch), {0.0, d.input, d.output});
    sim::serving::SchedulerSettings settings;
    settings.max_sequences = d.batch;
    settings.max_batched_tokens = 0;
    settings.blocks = d.batch * (d.input + d.output);
    auto const engine = std::get<ServiceEngine>(service_engine(design));
    settings.tokens_per_step = engine.tokens_per_step;
    settings.reserves_output = engine.reserves_output;
    return schedule(load, settings, engine.law);
}

void expect_consistent(Settings const& settings, double tolerance) {
    Assumptions with_host;
    set_assumption(with_host, "host", "included");
    Given const g(settings, with_host);
    auto const design = g.design();
    auto const& d = design.request;
    auto const result = analytic(design);
    auto const found = served(design);
    ASSERT_EQ(found.steps, d.generation == Generation::diffusion ? d.output / d.block_length : d.output);
    for (auto const& times : found.requests) {
        EXPECT_NEAR(times.first_token, result.ttft().value, tolerance * times.first_token);
        EXPECT_NEAR(times.last_token, result.latency().value, tolerance * times.last_token);
    }
    EXPECT_NEAR(found.joules, result.energy().value, tolerance * found.joules);
    EXPECT_EQ(found.busy, found.end);
}

Settings with_request(Settings const& settings, std::int64_t batch, std::int64_t input, std::int64_t output) {
    return settings.with("batch", std::to_string(batch))
        .with("input", std::to_string(input))
        .with("output", std::to_string(output));
}

/// The consistency law: requests that arrive together, with equal lengths, take what evaluate says of that batch.
TEST(Step, of_equal_requests_at_once_give_the_batch) {
    for (auto const& settings : designs()) {
        std::uint64_t draw = 0;
        auto const up_to = [&](std::uint64_t most) {
            return 1 + static_cast<std::int64_t>(sim::mixed_sequence(++draw) % most);
        };
        for (int i = 0; i < 20; ++i) {
            auto const batch = up_to(40), input = up_to(700), output = up_to(300);
            SCOPED_TRACE(settings.list.empty() ? "" : settings.list.front().second + " " + std::to_string(i));
            expect_consistent(with_request(settings, batch, input, output), 1e-12);
        }
    }
}

TEST(Step, of_blocks_of_equal_requests_at_once_gives_the_batch) {
    std::uint64_t draw = 0;
    auto const up_to = [&](std::uint64_t max) {
        return 1 + static_cast<std::int64_t>(sim::mixed_sequence(++draw) % max);
    };
    for (auto const& settings : diffusion_designs()) {
        for (int i = 0; i < tests::draws(40); ++i) {
            auto const block = 1 + up_to(60), output = block * up_to(8);
            auto const blocks = settings.with("block_length", std::to_string(block));
            SCOPED_TRACE(settings.list.front().second + " " + std::to_string(i));
            expect_consistent(with_request(blocks, up_to(40), up_to(700), output), 1e-12);
        }
    }
}

TEST(Step, beyond_windows_of_attention_gives_the_batch) {
    Settings const sliding{{"llm", "gpt-oss-20b"}, {"device", "h100"}};
    expect_consistent(with_request(sliding, 3, 100, 250), 1e-11);  // windows of 128
    expect_consistent(with_request(sliding, 5, 1000, 100), 1e-11);
    Settings const chunked{{"llm", "llama-4-scout"}, {"device", "h100"}};
    expect_consistent(with_request(chunked, 1, 8100, 200), 1e-11);  // chunks of 8192
    expect_consistent(with_request({{"llm", "deepseek-v3"}, {"device", "h100"}}, 2, 70, 50), 1e-11);
    expect_consistent(with_request({{"llm", "deepseek-v3.2"}, {"device", "h100"}}, 2, 2030, 50), 1e-11);
    Settings const compressed{{"llm", "deepseek-v4-flash"}, {"device", "h100"}};
    expect_consistent(with_request(compressed, 2, 100, 60), 1e-11);   // windows of 128
    expect_consistent(with_request(compressed, 3, 2000, 90), 1e-11);  // 512 keys of 4 positions
}

/// Under a limit of power the clock of attention depends on the context, a little: evaluate takes that of the mean.
TEST(Step, under_a_limit_of_power_gives_nearly_the_batch) {
    for (std::string const limit : {"150 W", "165 W", "250 W"}) {
        Settings const limited{{"llm", "llama-2-7b"}, {"device", "a100"}, {"power_limit", limit}};
        expect_consistent(with_request(limited, 7, 300, 200), 1e-6);
    }
    Settings const latent{{"llm", "deepseek-v3"}, {"device", "rtx_pro_6000"}, {"weights", "fp16"}};
    expect_consistent(with_request(latent, 50, 54, 169), 1e-6);
}

bool same_bits(StepCost const& a, StepCost const& b) {
    return std::memcmp(&a.seconds, &b.seconds, sizeof a.seconds) == 0 &&
           std::memcmp(&a.first_tokens, &b.first_tokens, sizeof a.first_tokens) == 0 &&
           std::memcmp(&a.joules, &b.joules, sizeof a.joules) == 0;
}

TEST(Step, several_at_once_have_the_bits_of_each) {
    std::vector<Settings> all = designs();
    all.push_back({{"llm", "deepseek-v3"}, {"device", "h100"}});
    all.push_back({{"llm", "llama-3-8b"}, {"device", "a100"}, {"power_limit", "160 W"}});
    for (auto const& settings : all) {
        Given const g(settings);
        StepCosts const law(g.design());
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            StepWork work;
            auto const sequences = 1 + sim::mixed_sequence(seed) % 60;
            for (std::uint64_t i = 0; i < sequences; ++i)
                work.contexts.push_back(2 + static_cast<std::int64_t>(sim::mixed_sequence(100 * seed + i) % 5000));
            work.heads = static_cast<std::int64_t>(sequences);
            std::vector<StepCost> costs(50);
            law.many(work, costs);
            for (auto const& cost : costs) {
                EXPECT_TRUE(same_bits(cost, law.one(work))) << g.design().request.model->name;
                for (auto& context : work.contexts) ++context;
            }
        }
    }
}

TEST(Step, several_of_blocks_at_once_have_the_bits_of_each) {
    for (auto const& settings : diffusion_designs()) {
        Given const g(settings.with("block_length", "16"));
        StepCosts const law(g.design());
        StepWork work{{}, {17, 800, 301}, 3, {320, 160, 176}};
        std::vector<StepCost> costs(10);
        law.many(work, costs);
        for (auto const& cost : costs) {
            EXPECT_TRUE(same_bits(cost, law.one(work)));
            for (auto& context : work.contexts) context += 16;
            for (auto& positions : work.ahead) positions -= 16;
        }
    }
}

/// A sequence that begins denoises with those that are further, and the weights are read once for both.
TEST(Step, of_blocks_costs_more_with_more) {
    for (auto const& settings : diffusion_designs()) {
        Given const g(settings.with("block_length", "32"));
        StepCosts const law(g.design());
        StepWork const blocks{{}, {513, 700}, 2, {64, 128}}, prompt{{{300, 0, 96}}, {}, 1}, part{{{300, 0}}, {}, 0};
        StepWork const both{{{300, 0, 96}}, {513, 700}, 3, {64, 128}};
        auto const a = law.one(blocks), b = law.one(prompt), all = law.one(both);
        EXPECT_GT(all.seconds, std::max(a.seconds, b.seconds));
        EXPECT_LT(all.seconds, a.seconds + b.seconds);
        EXPECT_GT(all.joules, g.design().hardware.rest.waiting() * all.seconds);
        EXPECT_LT(law.one(part).seconds, b.seconds);
        EXPECT_EQ(law.one(part).first_tokens, 0.0);
        EXPECT_EQ(all.first_tokens > 0.0, g.design().request.steps > 1);
        EXPECT_LT(all.first_tokens, all.seconds);
        StepWork const longer{{{310, 0, 96}}, {520, 700}, 3, {64, 160}};
        EXPECT_GT(law.one(longer).seconds, all.seconds);
    }
}

/// Two parts of a prompt compute what the whole computes, but read the weights twice, and the first part's keys again.
TEST(Step, of_a_part_of_a_prompt_reads_what_is_cached) {
    Given const g({{"llm", "llama-3-8b"}, {"layer_overhead", "0 s"}, {"attained_share", "1"}});
    auto const d = g.design();
    StepCosts const law(d);
    double const arithmetic = d.hardware.units.front().peak;
    // Long parts are bound by arithmetic, in which nothing is done twice; each finds what the cache holds of what moves
    // between kernels: two norms, a rotation and an activation in a layer.
    auto const& hbm = d.hardware.memories.front();
    double const found = 32.0 * 4.0 * d.hardware.memories.at(1).capacity / hbm.attained;
    StepWork const whole{{{8192, 0}}, {}, 1}, first{{{4096, 0}}, {}, 0}, second{{{4096, 4096}}, {}, 1};
    double const together = law.one(whole).seconds;
    EXPECT_NEAR(law.one(first).seconds + law.one(second).seconds + found, together, 1e-9 * together);
    EXPECT_GT(together, 8192.0 * 2.0 * 6.5e9 / arithmetic);
    // A short part of a long context is bound by its keys.
    double const cached = law.one({{{1, 100000}}, {}, 0}).seconds, fresh = law.one({{{1, 0}}, {}, 0}).seconds;
    double const bytes = 100000.0 * position_bytes(*d.request.model, d.request);
    EXPECT_NEAR(cached - fresh, bytes / d.hardware.memories.front().attained, 1e-9 * cached);
}

TEST(Step, with_prompts_and_tokens_reads_the_weights_once) {
    Given const g({{"llm", "llama-3-8b"}});
    StepCosts const law(g.design());
    StepWork const tokens{{}, {500, 600}, 2}, prompt{{{16, 0}}, {}, 1}, both{{{16, 0}}, {500, 600}, 3};
    EXPECT_LT(law.one(both).seconds, 0.6 * (law.one(tokens).seconds + law.one(prompt).seconds));
    EXPECT_GT(law.one(both).seconds, law.one(tokens).seconds);
}

TEST(Step, is_refused_where_tokens_are_proposed) {
    auto const rule = [](Settings const& settings) {
        auto const broken = broken_step_rule(Given(settings).design().request);
        return broken ? broken->reason : "";
    };
    EXPECT_EQ(rule({}), "");
    Settings const blocks{{"llm", "llada-8b"}, {"generation", "diffusion"}};
    EXPECT_EQ(rule(blocks), "");
    EXPECT_NE(rule(blocks.with("block_length", "1")), "");
    EXPECT_NE(rule({{"draft", "3"}}), "");
    Given const g({{"draft", "3"}});
    EXPECT_THROW(StepCosts(g.design()), sim::ContractViolation);
}

/// The cache takes what the weights leave: one position more does not fit the capacity rule of the board.
TEST(Step, cache_fills_the_board) {
    for (std::string const device : {"a100", "rtx_a6000"}) {
        Given const g({{"llm", "llama-3-8b"}, {"device", device}, {"output", "1"}});
        auto d = g.design();
        auto const engine = std::get<ServiceEngine>(service_engine(d));
        auto const positions = static_cast<std::int64_t>(engine.cache_bytes / engine.position_bytes);
        double const memory = d.hardware.memories.front().capacity;
        d.request.input = positions - d.request.output;
        EXPECT_LE(bytes_held(d), memory);
        ++d.request.input;
        EXPECT_GT(bytes_held(d), memory);
    }
    Given const g({{"llm", "llada-8b"}, {"generation", "diffusion"}, {"batch", "8"}, {"output", "64"}});
    auto d = g.design();
    auto const engine = std::get<ServiceEngine>(service_engine(d));
    EXPECT_EQ(engine.max_sequences, 0) << "the scheduler says how many denoise together";
    double const memory = d.hardware.memories.front().capacity;
    auto const of_sequence = engine.cache_bytes / static_cast<double>(d.request.batch) - engine.state_bytes;
    d.request.input = static_cast<std::int64_t>(of_sequence / engine.position_bytes) - d.request.output;
    EXPECT_LE(bytes_held(d), memory);
    ++d.request.input;
    EXPECT_GT(bytes_held(d), memory);
    Given const large({{"llm", "llama-2-70b"}});
    EXPECT_EQ(std::get<ServiceEngine>(service_engine(large.design())).cache_bytes, 0.0);
}

/// The file of a board says it, whatever its name is: programs take short steps on an A100.
TEST(Steps, of_a_board_are_as_long_as_its_file_says) {
    auto const memory = [](char const* device) {
        return std::get<ServiceEngine>(service_engine(Given({{"device", device}}).design())).device_memory;
    };
    EXPECT_EQ(memory("a100"), 0.0);
    EXPECT_DOUBLE_EQ(memory("h100"), 80.0 * (1 << 30));
}

}  // namespace
}  // namespace pimdse::models::text::test::step_test
