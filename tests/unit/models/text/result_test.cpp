#include "models/text/result.hpp"

#include "tests/unit/models/text/given.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::text::test::result_test {
namespace {

/// Reference pass by pass: the first step of a block computes all positions, the others those that are not cached.
PassCost walked(Given const& g) {
    auto const d = g.design();
    auto const& r = d.request;
    PassCost sum;
    auto const blocks = r.output / r.block_length;
    for (std::int64_t block = 0; block < blocks; ++block) {
        for (std::int64_t step = 0; step < r.steps; ++step) {
            auto positions = r.longest_context();
            if (step > 0 && r.cache == PassCache::prefix) positions = r.block_length * (blocks - block);
            if (step > 0 && r.cache == PassCache::dual) positions = r.block_length;
            sum += cost_of(d, r, denoising_pass(r, static_cast<double>(positions)), Phase::prefill);
        }
    }
    return sum;
}

TEST(Denoising, in_closed_form_is_the_walk_over_its_steps) {
    Settings const request{{"llm", "llada-8b"}, {"generation", "diffusion"}, {"input", "100"}};
    for (char const* cache : {"none", "prefix", "dual"}) {
        for (auto const& [output, block] : {std::pair{"32", "32"}, std::pair{"96", "32"}, std::pair{"64", "4"}}) {
            for (char const* steps : {"1", "2", "9"}) {
                Given const g(request.with("model_cache", cache)
                                  .with("output", output)
                                  .with("block_length", block)
                                  .with("steps", steps));
                auto const d = g.design();
                auto const all = analytic(d).all(), slow = walked(g);
                EXPECT_NEAR(all.total(), slow.total(), 1e-12 * slow.total()) << cache << output << steps;
                EXPECT_NEAR(all.min, slow.min, 1e-12 * slow.min);
                EXPECT_NEAR(all.max, slow.max, 1e-12 * slow.max);
                EXPECT_NEAR(sum(all.operations), sum(slow.operations), 1e-12 * sum(slow.operations));
                EXPECT_NEAR(bytes_of(all), bytes_of(slow), 1e-12 * bytes_of(slow));
                EXPECT_NEAR(joules_of(d, all), joules_of(d, slow), 1e-12 * joules_of(d, slow));
            }
        }
    }
}

TEST(Stretches, add_up_and_repeat_in_every_part) {
    Given const g({{"batch", "2"}});
    auto const d = g.design();
    auto const one = analytic(d).first, other = analytic(d).rest;
    auto three = one.times(3.0), added = one;
    added += one;
    added += one;
    EXPECT_DOUBLE_EQ(three.total(), added.total());
    EXPECT_DOUBLE_EQ(three.min, added.min);
    EXPECT_DOUBLE_EQ(three.max, added.max);
    EXPECT_DOUBLE_EQ(bytes_of(three), bytes_of(added));
    EXPECT_DOUBLE_EQ(sum(three.operations), sum(added.operations));
    EXPECT_DOUBLE_EQ(joules_of(d, three), joules_of(d, added));
    for (std::size_t i = 0; i < max_rules; ++i) EXPECT_DOUBLE_EQ(three.alone[i], 3.0 * one.alone[i]);
    for (std::size_t i = 0; i < three.limited.size(); ++i) EXPECT_DOUBLE_EQ(three.limited[i], added.limited[i]);
    three += other;
    EXPECT_DOUBLE_EQ(three.total(), 3.0 * one.total() + other.total());
}

/// Slow, obvious reference: one pass for each token at its own context.
double walked_by_token(Given const& g) {
    auto const d = g.design();
    auto const& r = d.request;
    double seconds = cost_of(d, r, prompt_pass(r), Phase::prefill).total();
    for (std::int64_t token = 1; token < r.output; ++token) {
        auto const context = static_cast<double>(r.input + token);
        seconds += cost_of(d, r, {1.0, {context, context}, context, 1.0}, Phase::decode).total();
    }
    return seconds;
}

TEST(Request, in_closed_form_is_the_walk_over_its_tokens) {
    for (auto const& more : std::vector<Settings>{{},
                                                  {{"batch", "64"}, {"kv_cache", "8bit"}},
                                                  {{"device", "h100"}, {"weights", "fp8"}, {"llm", "llama-3-8b"}},
                                                  {{"power_limit", "160 W"}, {"batch", "32"}},
                                                  {{"output", "1"}}}) {
        Given const g(more);
        EXPECT_NEAR(g.metric("latency").value / walked_by_token(g), 1.0, 1e-12);
    }
}

TEST(Request, by_diffusion_is_a_full_pass_and_cached_ones_a_block) {
    Settings const at{{"llm", "llada-8b"}, {"generation", "diffusion"}, {"output", "128"}, {"block_length", "32"}};
    auto const latency = [&](char const* steps, char const* cache) {
        return Given(at.with("steps", steps).with("model_cache", cache)).metric("latency").value;
    };
    EXPECT_NEAR(latency("1", "dual"), latency("1", "none"), 1e-12);
    EXPECT_NEAR(latency("8", "none"), 8 * latency("1", "none"), 1e-9);
    EXPECT_LT(latency("8", "dual"), latency("8", "prefix"));
    EXPECT_LT(latency("8", "prefix"), latency("8", "none"));
}

}  // namespace
}  // namespace pimdse::models::text::test::result_test
