#include "tests/unit/models/gpu/given.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::gpu::test {
namespace {

/// Slow, obvious reference: one pass for each token at its own context.
double walked(Given const& g) {
    auto d = g.design();
    Roof const roof(d, g.prepared().machine);
    double seconds = roof.cost_of(work_of(prompt_pass(d), d, g.prepared().machine)).total();
    auto const output = d.output;
    for (std::int64_t token = 1; token < output; ++token) {
        double const context = static_cast<double>(d.input + token);
        seconds += roof.cost_of(work_of({1.0, {context, context}, context, 1.0}, d, g.prepared().machine)).total();
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
        EXPECT_NEAR(g.metric("latency").value / walked(g), 1.0, 1e-12);
    }
}

TEST(Request, tells_its_times_apart) {
    Given const g({{"output", "101"}, {"batch", "3"}});
    double const latency = g.metric("latency").value;
    EXPECT_NEAR(g.metric("ttft").value + 100 * g.metric("itl").value, latency, 1e-12 * latency);
    EXPECT_NEAR(g.metric("tokens_per_second").value, 303 / latency, 1e-9);
    EXPECT_NEAR(g.metric("power").value * latency, g.metric("energy").value, 1e-9 * g.metric("energy").value);
    EXPECT_NEAR(g.metric("energy_per_token").value * 303, g.metric("energy").value, 1e-9 * g.metric("energy").value);
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
}  // namespace pimdse::models::gpu::test
