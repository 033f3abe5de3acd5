#include "models/llm/shard.hpp"

#include "models/llm/language_models.hpp"
#include "tests/unit/says.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <string>

namespace pimdse::models::test::shard_test {
namespace {

std::string reason_of(std::string const& model, Division const& division) {
    auto const part = shard_of(load_language_model(model), division);
    auto const* whole = std::get_if<NotDivisible>(&part);
    return whole != nullptr ? whole->reason : "";
}

/// Weights of the experts of all layers, and of everything else in them.
struct Weights {
    std::int64_t experts = 0, others = 0, keys_and_values = 0, states = 0;
    std::int64_t everywhere = 0;  ///< on every device
};
bool is_everywhere(WeightMatrix const& matrix, LanguageModel const& m) {
    auto const& name = matrix.name;
    return name == "q_a" || name == "kv_a" || name.starts_with("index_") || name.starts_with("embedding_") ||
           std::ranges::find(m.matrices, matrix) != m.matrices.end();
}
Weights weights_of(LanguageModel const& model) {
    Weights weights;
    for (auto const& m : alike_layers(model)) {
        auto const matrices = layer_matrices(m);
        for (std::size_t i = 0; i < matrices.size(); ++i) {
            auto const& matrix = matrices[i];
            auto const all = m.layers * matrix.inputs * matrix.outputs * matrix.count;
            // A shared expert comes before the experts, with matrices of the same names.
            bool const again = std::any_of(matrices.begin() + static_cast<std::ptrdiff_t>(i) + 1, matrices.end(),
                                           [&](auto const& other) { return other.name == matrix.name; });
            bool const of_ffn = matrix.name == "gate" || matrix.name == "up" || matrix.name == "down";
            bool const of_experts = m.experts > 0 && of_ffn && !again;
            if (of_experts)
                weights.experts += all;
            else if (matrix.name == "k" || matrix.name == "v")
                weights.keys_and_values += all;
            else if (matrix.name.starts_with("state_"))
                weights.states += all;
            else if (is_everywhere(matrix, m))
                weights.everywhere += all;
            else
                weights.others += all;
        }
    }
    return weights;
}

/// What the parts of all stages have together, each counted for the devices of its stage.
struct Together {
    Weights weights;
    std::int64_t layers = 0, cached = 0, parameters = 0;
    bool divided = true;
};
Together together(LanguageModel const& model, Division const& division) {
    Together all;
    for (std::int64_t stage = 0; stage < division.pipeline; ++stage) {
        auto const part = shard_of(model, division, stage);
        if (std::holds_alternative<NotDivisible>(part)) return {.divided = false};
        auto const& one = std::get<LanguageModel>(part);
        auto const of_one = weights_of(one);
        all.weights.experts += of_one.experts;
        all.weights.others += of_one.others;
        all.weights.everywhere += of_one.everywhere;
        all.weights.states += of_one.states;
        all.weights.keys_and_values += of_one.keys_and_values;
        all.layers += one.layers;
        all.cached += position_elements(one);
        all.parameters += total_parameters(one);
    }
    return all;
}

TEST(Shard, parts_have_together_what_the_model_has) {
    int divided = 0, refused = 0;
    for (auto const& name : language_model_names()) {
        auto const model = load_language_model(name);
        auto const whole = weights_of(model);
        for (std::int64_t const tensor : {1, 2, 4, 8, 16}) {
            for (std::int64_t const expert : {1, 2, 4, 16}) {
                for (std::int64_t const pipeline : {1, 2, 3, 8}) {
                    auto const parts = together(model, {tensor, expert, pipeline});
                    if (!parts.divided) {
                        ++refused;
                        continue;
                    }
                    ++divided;
                    auto const text = name + " " + std::to_string(tensor) + " " + std::to_string(expert) + " " +
                                      std::to_string(pipeline);
                    // Experts are divided by all three, the rest by tensor and pipeline.
                    EXPECT_EQ(parts.weights.experts * tensor * expert, whole.experts) << text;
                    EXPECT_EQ(parts.weights.others * tensor, whole.others) << text;
                    EXPECT_EQ(parts.weights.everywhere, whole.everywhere) << text;
                    // Heads of keys of a state, or its groups, are on every device that needs them.
                    bool const copied = std::ranges::any_of(alike_layers(model), [&](auto const& alike) {
                        return alike.state.key_heads > 0 && alike.state.key_heads < tensor;
                    });
                    EXPECT_GE(parts.weights.states * tensor, whole.states) << text;
                    EXPECT_TRUE(copied || parts.weights.states * tensor == whole.states) << text;
                    auto const copies = model.kv_rank > 0 ? 1 : std::max<std::int64_t>(1, tensor / model.kv_heads);
                    EXPECT_EQ(parts.weights.keys_and_values * tensor, whole.keys_and_values * copies) << text;
                    EXPECT_EQ(parts.layers, model.layers) << text;
                    auto const held = model.kv_rank > 0 ? 1 : tensor / copies;
                    EXPECT_EQ(parts.cached * held, position_elements(model)) << text;
                    EXPECT_GE(parts.parameters * tensor * expert, total_parameters(model) * 99 / 100) << text;
                }
            }
        }
    }
    EXPECT_GT(divided, 300);
    EXPECT_GT(refused, 300);
}

TEST(Shard, divides_narrow_values_by_heads_and_has_the_matrices_around_experts_everywhere) {
    auto const values = load_language_model(PIMDSE_TEST_DATA "/keys/tiny_narrow_values.toml");
    auto const half = std::get<LanguageModel>(shard_of(values, {2, 1, 1}));
    EXPECT_EQ(2 * position_elements(half), position_elements(values));
    EXPECT_EQ(2 * half.value_width(), values.value_width());
    auto const experts = load_language_model(PIMDSE_TEST_DATA "/keys/tiny_narrow_experts.toml");
    auto const part = std::get<LanguageModel>(shard_of(experts, {2, 4, 1}));
    auto const matrices = layer_matrices(part);
    auto const around = [&](WeightMatrix const& matrix) { return std::ranges::count(matrices, matrix); };
    EXPECT_EQ(around({"experts_in", 256, 64}), 1);
    EXPECT_EQ(around({"experts_out", 64, 256}), 1);
    EXPECT_EQ(around({"down", 96, 64, 2, 2}), 1) << "two of eight experts, half of their width";
}

TEST(Shard, deals_layers_as_engines_do) {
    using Layers = std::vector<std::int64_t>;
    EXPECT_EQ(layers_of_stages(126, 4), (Layers{31, 32, 32, 31}));
    EXPECT_EQ(layers_of_stages(61, 2), (Layers{31, 30}));
    EXPECT_EQ(layers_of_stages(7, 4), (Layers{2, 2, 2, 1}));
    EXPECT_EQ(layers_of_stages(5, 3), (Layers{2, 2, 1}));
    EXPECT_EQ(layers_of_stages(80, 4), (Layers{20, 20, 20, 20}));
}

// DeepSeek-V3: 3 dense layers and 58 with experts, which is the order in which stages get them.
TEST(Shard, gives_a_stage_the_kinds_of_its_own_layers) {
    auto const model = load_language_model("deepseek-v3");
    auto const first = std::get<LanguageModel>(shard_of(model, {1, 1, 2}, 0));
    auto const last = std::get<LanguageModel>(shard_of(model, {1, 1, 2}, 1));
    ASSERT_EQ(first.kinds.size(), 2U);
    EXPECT_EQ(first.kinds[0].layers, 3);
    EXPECT_EQ(first.kinds[1].layers, 28);
    EXPECT_TRUE(last.kinds.empty());
    EXPECT_EQ(last.layers, 30);
    auto const equal = stages_before_last(model, 4);  // 15 + 15 + 16 + 15 layers
    ASSERT_EQ(equal.size(), 3U);
    EXPECT_EQ(stages_before_last(load_language_model("llama-3.1-405b"), 4).size(), 2U);
    EXPECT_EQ(stages_before_last(load_language_model("gemma-3-27b"), 2).front().stages, 1);
}

// 64 devices with four experts each: a device is sent eight vectors for each of its tokens, and 512 tokens, of which
// each chooses 8 of 256, touch 4 (1 - (31 / 32)^512).
TEST(Shard, leaves_a_device_fewer_experts_than_a_token_uses) {
    auto const part = std::get<LanguageModel>(shard_of(load_language_model("deepseek-v3"), {1, 64, 1}));
    auto const& experts = alike_layers(part).back();
    EXPECT_EQ(experts.experts, 4);
    EXPECT_EQ(experts.experts_active, 8);
    EXPECT_NEAR(touched_experts(experts, 8.0), 4.0 * (1.0 - std::pow(31.0 / 32.0, 512.0)), 1e-12);
    EXPECT_NEAR(touched_experts(experts, 1.0), 4.0 * (1.0 - std::pow(31.0 / 32.0, 64.0)), 1e-12);
}

TEST(Shard, one_part_is_the_model) {
    for (auto const& name : language_model_names()) {
        auto const model = load_language_model(name);
        auto const part = std::get<LanguageModel>(shard_of(model, {}));
        EXPECT_EQ(total_parameters(part), total_parameters(model)) << name;
        EXPECT_EQ(part.name, model.name);
    }
}

// Llama-3-70B: 64 heads, 8 of keys and values, 28,672 columns, 80 layers, 128,256 tokens, on 8 x 2 devices:
// q 8192 x 1024, k and v 8192 x 128, o 1024 x 8192, three of 8192 x 3584: 106,954,752 weights in each of 40 layers.
TEST(Shard, by_hand) {
    auto const model = load_language_model("llama-3-70b");
    auto const last = std::get<LanguageModel>(shard_of(model, {8, 1, 2}));
    EXPECT_EQ(layer_weights(last), 2 * 8192 * 1024 + 2 * 8192 * 128 + 3 * 8192 * 3584);
    EXPECT_EQ(last.layers, 40);
    EXPECT_EQ(lm_head_weights(last), 8192 * 128256 / 8);
    auto const before = std::get<LanguageModel>(shard_of(model, {8, 1, 2}, 0));
    EXPECT_EQ(lm_head_weights(before), 8192);
    EXPECT_EQ(layer_weights(before), layer_weights(last));
}

TEST(Shard, what_cannot_be_divided_is_said_with_its_numbers) {
    EXPECT_THAT(reason_of("llama-3-70b", {3, 1, 1}), says("heads"));
    EXPECT_THAT(reason_of("qwen2.5-7b", {7, 1, 1}), says("keys"));
    EXPECT_THAT(reason_of("llama-3-70b", {1, 1, 81}), says("layers"));
    EXPECT_THAT(reason_of("llama-3-70b", {1, 2, 1}), says("no-experts"));
    EXPECT_THAT(reason_of("mixtral-8x7b", {1, 3, 1}), says("experts"));
}

}  // namespace
}  // namespace pimdse::models::test::shard_test
