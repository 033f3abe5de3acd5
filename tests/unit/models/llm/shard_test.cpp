#include "models/llm/shard.hpp"

#include "models/llm/language_models.hpp"
#include "tests/unit/says.hpp"

#include <gtest/gtest.h>
#include <algorithm>
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
    std::int64_t experts = 0, others = 0, keys_and_values = 0, latent = 0;
};
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
            else if (matrix.name == "q_a" || matrix.name == "kv_a")
                weights.latent += all;
            else
                weights.others += all;
        }
    }
    return weights;
}

TEST(Shard, parts_have_together_what_the_model_has) {
    int divided = 0, refused = 0;
    for (auto const& name : language_model_names()) {
        auto const model = load_language_model(name);
        auto const whole = weights_of(model);
        for (std::int64_t const tensor : {1, 2, 4, 8, 16}) {
            for (std::int64_t const expert : {1, 2, 4, 16}) {
                for (std::int64_t const pipeline : {1, 2, 3, 8}) {
                    auto const part = shard_of(model, {tensor, expert, pipeline});
                    if (std::holds_alternative<NotDivisible>(part)) {
                        ++refused;
                        continue;
                    }
                    ++divided;
                    auto const one = std::get<LanguageModel>(part);
                    auto const of_one = weights_of(one);
                    auto const text = name + " " + std::to_string(tensor) + " " + std::to_string(expert) + " " +
                                      std::to_string(pipeline);
                    // Experts are divided by all three, the rest by tensor and pipeline.
                    EXPECT_EQ(of_one.experts * tensor * expert * pipeline, whole.experts) << text;
                    EXPECT_EQ(of_one.others * tensor * pipeline, whole.others) << text;
                    EXPECT_EQ(of_one.latent * pipeline, whole.latent) << text;
                    auto const copies = model.kv_rank > 0 ? 1 : std::max<std::int64_t>(1, tensor / model.kv_heads);
                    EXPECT_EQ(of_one.keys_and_values * tensor * pipeline, whole.keys_and_values * copies) << text;
                    EXPECT_EQ(one.layers * pipeline, model.layers) << text;
                    std::int64_t cached = 0, of_all = 0;
                    for (auto const& m : alike_layers(one)) cached += m.layers * kv_elements_per_token(m);
                    for (auto const& m : alike_layers(model)) of_all += m.layers * kv_elements_per_token(m);
                    auto const held = model.kv_rank > 0 ? 1 : tensor / copies;
                    EXPECT_EQ(cached * held * pipeline, of_all) << text;
                    EXPECT_GE(total_parameters(one) * tensor * expert * pipeline, total_parameters(model) * 99 / 100)
                        << text;
                }
            }
        }
    }
    EXPECT_GT(divided, 300);
    EXPECT_GT(refused, 300);
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
    auto const before = std::get<LanguageModel>(shard_of(model, {8, 1, 2}, PipelineStage::before));
    EXPECT_EQ(lm_head_weights(before), 8192);
    EXPECT_EQ(layer_weights(before), layer_weights(last));
}

TEST(Shard, what_cannot_be_divided_is_said_with_its_numbers) {
    EXPECT_THAT(reason_of("llama-3-70b", {3, 1, 1}), says("heads"));
    EXPECT_THAT(reason_of("qwen2.5-7b", {7, 1, 1}), says("keys"));
    EXPECT_THAT(reason_of("llama-3-70b", {1, 1, 3}), says("layers"));
    EXPECT_THAT(reason_of("deepseek-v3", {1, 1, 2}), says("kinds"));
    EXPECT_THAT(reason_of("llama-3-70b", {1, 2, 1}), says("no-experts"));
    EXPECT_THAT(reason_of("mixtral-8x7b", {1, 3, 1}), says("experts"));
    EXPECT_THAT(reason_of("mixtral-8x7b", {1, 8, 1}), says("few-experts"));
}

}  // namespace
}  // namespace pimdse::models::test::shard_test
