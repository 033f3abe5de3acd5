#include "models/gpu/analytic.hpp"

#include "tests/unit/models/gpu/given.hpp"

#include <gtest/gtest.h>
#include <cmath>

namespace pimdse::models::gpu::test {
namespace {

/// Reference pass by pass: the first step of a block computes all positions, the others those that are not cached.
PassCost walked(Given const& g) {
    auto const d = g.design();
    auto const& machine = g.prepared().machine;
    Roof const roof(d, machine);
    PassCost sum;
    auto const blocks = d.output / d.block_length;
    for (std::int64_t block = 0; block < blocks; ++block) {
        for (std::int64_t step = 0; step < d.steps; ++step) {
            auto positions = d.longest_context();
            if (step > 0 && d.cache == PassCache::prefix) positions = d.block_length * (blocks - block);
            if (step > 0 && d.cache == PassCache::dual) positions = d.block_length;
            sum += roof.cost_of(work_of(denoising_pass(d, static_cast<double>(positions)), d, machine));
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
                auto const all = g.result().all(), slow = walked(g);
                EXPECT_NEAR(all.total(), slow.total(), 1e-12 * slow.total()) << cache << output << steps;
                EXPECT_NEAR(all.min, slow.min, 1e-12 * slow.min);
                EXPECT_NEAR(all.max, slow.max, 1e-12 * slow.max);
                EXPECT_NEAR(all.operations, slow.operations, 1e-12 * slow.operations);
                EXPECT_NEAR(all.bytes, slow.bytes, 1e-12 * slow.bytes);
                EXPECT_NEAR(all.energy.sum(), slow.energy.sum(), 1e-12 * slow.energy.sum());
            }
        }
    }
}

TEST(Stretches, add_up_and_repeat_in_every_part) {
    Given const g({{"batch", "2"}});
    auto const one = g.result().first, other = g.result().rest;
    auto three = one.times(3.0), added = one;
    added += one;
    added += one;
    EXPECT_DOUBLE_EQ(three.total(), added.total());
    EXPECT_DOUBLE_EQ(three.min, added.min);
    EXPECT_DOUBLE_EQ(three.max, added.max);
    EXPECT_DOUBLE_EQ(three.bytes, added.bytes);
    EXPECT_DOUBLE_EQ(three.operations, added.operations);
    EXPECT_DOUBLE_EQ(three.energy.sum(), added.energy.sum());
    for (std::size_t i = 0; i < group_names.size(); ++i) EXPECT_DOUBLE_EQ(three.alone[i], 3.0 * one.alone[i]);
    three += other;
    EXPECT_DOUBLE_EQ(three.total(), 3.0 * one.total() + other.total());
}

TEST(Results, of_one_token_have_none_after_it) {
    Given const g({{"output", "1"}});
    EXPECT_TRUE(std::isnan(g.result().itl().value));
    EXPECT_EQ(g.result().rest.total(), 0.0);
    EXPECT_EQ(g.result().latency().value, g.result().ttft().value);
}

}  // namespace
}  // namespace pimdse::models::gpu::test
