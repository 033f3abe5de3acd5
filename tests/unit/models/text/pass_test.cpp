#include "models/text/pass.hpp"

#include "models/llm/language_models.hpp"
#include "tests/unit/models/text/given.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>

/// Reference that counts layer by layer and token by token.
namespace pimdse::models::text::test::pass_test {
namespace {

std::vector<Settings> requests() {
    return {{},
            {{"batch", "3"}, {"kv_cache", "8bit"}, {"weights", "int8"}},
            {{"llm", "llama-3-8b"}, {"input", "77"}},
            {{"llm", "llama-2-13b"}, {"batch", "5"}},
            {{"llm", "qwen2.5-0.5b"}},  // two heads of keys
            {{"llm", "llada-moe-7b-a1b"}, {"generation", "diffusion"}, {"output", "64"}, {"batch", "2"}}};
}

/// Formats of the requests above: fp16 is the first.
double element_bytes(LlmRequest const& r) { return r.format == 0 ? 2.0 : 1.0; }

/// Operations and bytes of all weight matrices of all layers, for this number of positions.
OperatorWork slow_weights(LlmRequest const& d, double positions) {
    OperatorWork work;
    for (std::int64_t layer = 0; layer < d.model->layers; ++layer) {
        for (auto const& m : models::layer_matrices(*d.model)) {
            double const size = static_cast<double>(m.inputs * m.outputs);
            work.operations += 2.0 * positions * static_cast<double>(m.active) * size;
            // A copy is not read if no position chooses it.
            double const missed =
                std::pow(1.0 - static_cast<double>(m.active) / static_cast<double>(m.count), positions);
            work.weight_bytes += static_cast<double>(m.count) * (1.0 - missed) * size * element_bytes(d);
        }
    }
    return work;
}

/// Bytes of an element of keys and values.
double cached_bytes(Given const& g) {
    auto const at = static_cast<std::size_t>(find_parameter(g.table, "kv_cache"));
    return g.point[at] == Value::choice(1) ? 1.0 : 2.0;
}

TEST(Pass, multiplies_every_position_with_the_weights_it_uses) {
    for (auto const& settings : requests()) {
        Given const g(settings);
        auto const d = g.design();
        for (double const queries : {1.0, 2.0, 40.0}) {
            auto const found = work_of({queries, {10.0, 10.0}, 10.0, 1.0}, d, "weights.");
            auto const slow = slow_weights(d.request, d.request.sequences() * queries);
            EXPECT_NEAR(found.operations, slow.operations, 1e-9 * slow.operations);
            EXPECT_NEAR(found.weight_bytes, slow.weight_bytes, 1e-9 * slow.weight_bytes);
        }
    }
}

TEST(Pass, attends_from_every_head_to_every_key) {
    for (auto const& settings : requests()) {
        Given const g(settings);
        auto const design = g.design();
        auto const& d = design.request;
        auto const found = work_of({3.0, {10.0, 10.0}, 10.0, 1.0}, design, "attention.");
        double operations = 0.0, bytes = 0.0;
        double const cached = cached_bytes(g);
        auto const width = static_cast<double>(d.model->head_dimension);
        for (std::int64_t layer = 0; layer < d.model->layers; ++layer) {
            // Scores and the weighted sum of values: one multiplication and one addition each.
            for (std::int64_t head = 0; head < d.model->heads; ++head)
                operations += d.sequences() * 3.0 * 10.0 * width * 2.0 * 2.0;
            // Keys and values of ten positions are read, those of three are written.
            bytes += d.sequences() * 13.0 * 2.0 * width * cached * static_cast<double>(d.model->kv_heads);
        }
        EXPECT_NEAR(found.operations, operations, 1e-9 * operations);
        EXPECT_NEAR(found.cache_read + found.cache_written, bytes, 1e-9 * bytes);
    }
}

TEST(Pass, of_the_prompt_attends_to_each_position_before) {
    Given const g({{"input", "37"}});
    auto const prompt = prompt_pass(g.design().request);
    double keys = 0.0;
    for (int position = 1; position <= 37; ++position) keys += position;
    EXPECT_EQ(prompt.queries * mean_keys(*g.design().request.model, prompt.contexts), keys);
    EXPECT_EQ(prompt.heads, 1.0);
}

TEST(Pass, of_the_mean_token_attends_as_all_tokens_do) {
    Given const g({{"input", "37"}});
    for (int steps = 1; steps < 20; ++steps) {
        double keys = 0.0;
        for (int token = 1; token <= steps; ++token) keys += 37 + token;
        auto const passes = verification_passes({}, 37, steps);
        EXPECT_NEAR(mean_keys(*g.design().request.model, token_pass(passes).contexts) * steps, keys, 1e-9);
    }
}

TEST(Pass, samples_the_logits_of_a_block_where_blocks_are_denoised) {
    Given const tokens;
    EXPECT_EQ(work_of({1.0, {1.0, 1.0}, 1.0, 1.0}, tokens.design(), "sampling").logit_bytes, 0.0);
    Settings const blocks{{"llm", "llada-8b"}, {"generation", "diffusion"}, {"output", "64"}, {"batch", "2"}};
    auto const bytes = [&](char const* length) {
        Given const g(blocks.with("block_length", length));
        auto const d = g.design();
        auto const positions = static_cast<double>(d.request.block_length);
        return work_of({positions, {1.0, 1.0}, 1.0, positions}, d, "sampling").logit_bytes;
    };
    EXPECT_EQ(bytes("16"), 2.0 * 16 * 126464 * 8);
    EXPECT_NEAR(bytes("64"), 4.0 * bytes("16"), 1e-6);
}

TEST(Pass, needs_room_for_all_weights_and_every_token_of_every_sequence) {
    for (auto const& settings : requests()) {
        Given const g(settings);
        auto const design = g.design();
        auto const& d = design.request;
        double const cached = cached_bytes(g);
        double bytes = static_cast<double>(models::total_parameters(*d.model)) * element_bytes(d);
        auto const width = d.model->kv_width();
        for (std::int64_t token = 0; token < d.input + d.output; ++token)
            bytes += d.sequences() * static_cast<double>(2 * width * d.model->layers) * cached;
        if (d.generation == Generation::diffusion)
            bytes += d.sequences() * static_cast<double>(d.block_length * d.model->vocabulary) * 8.0;
        EXPECT_NEAR(bytes_held(design), bytes, 1e-9 * bytes);
    }
}

TEST(Pass, keeps_the_logits_of_one_denoising_step_whatever_the_steps) {
    Settings const at{{"llm", "llada-8b"}, {"generation", "diffusion"}, {"output", "64"}, {"block_length", "64"}};
    auto const bytes = [&](char const* steps, char const* batch) {
        Given const g(at.with("steps", steps).with("batch", batch));
        return bytes_held(g.design());
    };
    EXPECT_EQ(bytes("1", "2"), bytes("32", "2"));
    EXPECT_GT(bytes("1", "2") - bytes("1", "1"), 64.0 * 126464 * 8);
}

}  // namespace
}  // namespace pimdse::models::text::test::pass_test
