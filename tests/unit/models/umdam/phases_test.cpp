#include "tests/unit/models/contract/temporary_file.hpp"
#include "tests/unit/models/umdam/requested.hpp"

#include <gtest/gtest.h>
#include <cmath>

namespace pimdse::models::umdam::phases_test {
namespace {

using testing::Requested;

/// Denoises one block of few positions, all but the first step from a cache.
Requested denoised(std::int64_t block, std::int64_t steps) {
    return Requested({{"llm", "llada-moe-7b-a1b"},
                      {"generation", "diffusion"},
                      {"input", "64"},
                      {"output", std::to_string(block)},
                      {"block_length", std::to_string(block)},
                      {"steps", std::to_string(steps)},
                      {"model_cache", "dual"},
                      {"denoising", "npu"},
                      {"ignore_capacity", "true"}});
}

TEST(Phases, read_the_experts_that_positions_choose) {
    for (std::int64_t const block : {1, 2, 3, 4, 8, 16}) {
        auto const one = denoised(block, 1), more = denoised(block, 5);
        auto const positions = static_cast<double>(block);
        double bytes = 0.0, operations = 0.0;
        for (auto const& m : one.system.matrices) {
            if (m.head) continue;
            // An expert is read unless all positions choose others.
            double const missed = m.experts ? std::pow(1.0 - m.active / m.stored, positions) : 0.0;
            bytes += m.stored * (1.0 - missed) * static_cast<double>(m.bytes);
            operations += 2.0 * positions * m.active * m.weights();
        }
        auto const of = [](Requested const& r) {
            auto commands = r.cost().rest[Part::weights].commands;
            commands += r.cost().first[Part::weights].commands;
            return commands;
        };
        auto const before = of(one), after = of(more);
        EXPECT_NEAR((after.cube_operations - before.cube_operations) / 4.0, operations, 1e-9 * operations) << block;
        double const burst = one.system.standard.organisation.burst_bytes;
        EXPECT_NEAR((after.reads.value - before.reads.value) * burst / 4.0, bytes, 1e-6 * bytes) << block;
    }
}

TEST(Phases, of_any_fidelity_serve_a_single_position_of_a_mixture_of_experts) {
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
        auto const r = denoised(1, 2);
        auto const cost = r.cost(fidelity);
        EXPECT_GT(cost.decode().value, 0.0);
    }
}

TEST(Phases, of_more_positions_never_take_less) {
    double before = 0.0;
    for (std::int64_t const block : {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 32}) {
        auto const seconds = denoised(block, 5).cost().rest[Part::weights].seconds.value;
        EXPECT_GE(seconds, before) << block;
        before = seconds;
    }
}

/// Mixtral 8x7B: two of eight experts a token.
models::testing::TemporaryFile const& mixtral() {
    static models::testing::TemporaryFile const file(R"(
name = "Mixtral-8x7B"
source = "mistralai/Mixtral-8x7B-v0.1 config.json"
published_parameters = 46700000000
attention = "causal"
layers = 32
hidden = 4096
heads = 32
kv_heads = 8
head_dimension = 128
ffn = 0
gated = true
vocabulary = 32000
tied_embedding = false
maximum_context = 32768
qkv_bias = false
output_bias = false
ffn_bias = false
norm = "rmsnorm"
positions = "rope"
experts = 8
experts_active = 2
expert_ffn = 14336
embedding_projection = 4096
)");
    return file;
}

TEST(Phases, of_a_batch_decode_with_more_experts_than_a_request) {
    double one = 0.0;
    for (int const batch : {1, 2, 4, 8}) {
        Requested const r({{"llm", mixtral().path().string()},
                           {"baseline", "npu_only"},
                           {"ignore_capacity", "true"},
                           {"batch", std::to_string(batch)},
                           {"input", "16"},
                           {"output", "201"}});
        auto const weights = r.cost().rest[Part::weights];
        double bytes = 0.0;
        for (auto const& m : r.system.matrices) {
            double const touched = m.experts ? 1.0 - std::pow(0.75, batch) : 1.0;
            if (!m.head) bytes += 200.0 * m.stored * touched * static_cast<double>(m.bytes);
        }
        double const burst = r.system.standard.organisation.burst_bytes;
        EXPECT_NEAR(weights.commands.reads.value * burst, bytes, 1e-6 * bytes) << batch;
        if (batch == 1) one = weights.seconds.value;
        if (batch == 8) {
            EXPECT_NEAR(weights.seconds.value / one, 3.3, 0.05);
        }
    }
}

}  // namespace
}  // namespace pimdse::models::umdam::phases_test
