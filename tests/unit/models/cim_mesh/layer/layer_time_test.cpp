#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/cim_mesh/layer/attended.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <random>

namespace pimdse::models::cim_mesh::test::layer_time_test {
namespace {

TEST(SampledContexts, weigh_1_together_and_give_a_linear_cost_its_middle) {
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i) {
        auto const input = static_cast<std::int64_t>(random() % 100'000),
                   output = static_cast<std::int64_t>(1 + random() % 5000);
        auto const max = static_cast<std::int64_t>(1 + random() % 64);
        auto const samples = sampled_contexts(input, output, max);
        ASSERT_EQ(samples.size(), static_cast<std::size_t>(std::min(output, max) + 1));
        EXPECT_EQ(samples.front().context, input);
        EXPECT_EQ(samples.back().context, input + output);
        double weight = 0.0, mean = 0.0;
        for (std::size_t k = 0; k < samples.size(); ++k) {
            weight += samples[k].weight;
            mean += samples[k].weight * static_cast<double>(samples[k].context);
            EXPECT_GT(samples[k].weight, 0.0);
            EXPECT_TRUE(k == 0 || samples[k].context > samples[k - 1].context);
        }
        EXPECT_NEAR(weight, 1.0, 1e-12);
        EXPECT_NEAR(mean, static_cast<double>(input) + static_cast<double>(output) / 2.0, 1e-6);
    }
}

TEST(SampledContexts, take_every_token_of_few_by_the_trapezoid_rule) {
    auto const cost = [](std::int64_t context) { return std::sqrt(static_cast<double>(context)); };
    double sampled = 0.0, slow = 0.0;
    for (auto const& sample : sampled_contexts(10, 40, 64)) sampled += sample.weight * cost(sample.context);
    for (std::int64_t token = 0; token < 40; ++token) slow += (cost(10 + token) + cost(11 + token)) / 2.0 / 40.0;
    EXPECT_NEAR(sampled, slow, 1e-12);
}

/// Positions that each pass after the first computes, pass after pass.
double walked_queries(Design const& d) {
    double sum = 0.0, passes = 0.0;
    auto const blocks = static_cast<std::int64_t>(d.blocks());
    for (std::int64_t block = 0; block < blocks; ++block) {
        for (std::int64_t step = 0; step < d.steps; ++step) {
            if (block == 0 && step == 0) continue;
            double computed = static_cast<double>(d.longest_context());
            if (step > 0 && d.cache == PassCache::dual) computed = static_cast<double>(d.block_length);
            if (step > 0 && d.cache == PassCache::prefix)
                computed = static_cast<double>(d.block_length * (blocks - block));
            sum += computed;
            passes += 1.0;
        }
    }
    return passes > 0.0 ? sum / passes : static_cast<double>(d.longest_context());
}

TEST(DenoisingPasses, compute_in_the_mean_what_they_compute_one_by_one) {
    for (char const* cache : {"none", "prefix", "dual"}) {
        for (auto const& [output, block] : {std::pair{"32", "32"}, std::pair{"64", "16"}, std::pair{"96", "32"}}) {
            for (char const* steps : {"1", "2", "7", "16"}) {
                Given const given({{"llm", "llada-8b"},
                                   {"generation", "diffusion"},
                                   {"input", "40"},
                                   {"output", output},
                                   {"block_length", block},
                                   {"steps", steps},
                                   {"model_cache", cache}});
                EXPECT_NEAR(later_queries(given.design), walked_queries(given.design), 1e-9)
                    << cache << " " << output << " " << block << " " << steps;
            }
        }
    }
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::layer_time_test
