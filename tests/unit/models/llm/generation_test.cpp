#include "models/llm/generation.hpp"

#include "models/llm/language_models.hpp"
#include "tests/unit/says.hpp"

#include <gtest/gtest.h>

namespace pimdse::models {
namespace {

/// The rule that a request violates; "" if it violates none.
std::string rule_of(Generated const& request) {
    auto const refusal = broken_generation(request);
    return refusal ? refusal->rule : "";
}

TEST(Generation, is_refused_where_a_model_generates_the_other_way) {
    for (auto const& name : language_model_names()) {
        auto const model = load_language_model(name);
        bool const diffuses = model.attention == models::Attention::bidirectional;
        EXPECT_EQ(rule_of({model, diffuses, 32, 32, 32}), "") << name;
        EXPECT_EQ(rule_of({model, !diffuses, 32, 32, 32}), "generation") << name;
        auto const refusal = broken_generation({model, !diffuses, 32, 32, 32});
        ASSERT_TRUE(refusal);
        EXPECT_NE(refusal->reason.find(model.name), std::string::npos) << refusal->reason;
    }
}

TEST(Generation, ends_where_the_positions_of_the_model_end) {
    for (auto const& name : language_model_names()) {
        auto const model = load_language_model(name);
        bool const diffuses = model.attention == models::Attention::bidirectional;
        std::int64_t const max = model.maximum_context;
        ASSERT_GT(max, 64) << name;
        EXPECT_EQ(rule_of({model, diffuses, max - 32, 32, 32}), "") << name;
        EXPECT_EQ(rule_of({model, diffuses, max - 31, 32, 32}), "context") << name;
        EXPECT_EQ(rule_of({model, diffuses, 1, max, 1}), "context") << name;
        EXPECT_EQ(rule_of({model, diffuses, 0, max, 1}), "") << name;
    }
}

TEST(Generation, is_in_whole_blocks_of_models_that_denoise) {
    for (auto const& name : language_model_names()) {
        auto const model = load_language_model(name);
        bool const diffuses = model.attention == models::Attention::bidirectional;
        for (std::int64_t output = 1; output <= 40; ++output) {
            for (std::int64_t const block : {1, 2, 3, 8, 32, 64}) {
                bool const whole = output % block == 0;
                EXPECT_EQ(rule_of({model, diffuses, 8, output, block}), whole || !diffuses ? "" : "blocks")
                    << name << ", " << output << " tokens in blocks of " << block;
            }
        }
    }
}

std::string layer_rule_of(std::string const& model, std::int64_t context) {
    auto const refusal = broken_layers(load_language_model(model), context);
    return refusal ? refusal->rule : "";
}

TEST(Generation, without_kinds_of_layers_serves_windows_that_the_context_does_not_reach) {
    EXPECT_EQ(layer_rule_of("llama-3-8b", 8192), "");
    EXPECT_EQ(layer_rule_of("gemma-2-9b", 4096), "");
    EXPECT_EQ(layer_rule_of("gemma-2-9b", 4097), "window");
    EXPECT_EQ(layer_rule_of("llama-4-scout", 8192), "");
    EXPECT_EQ(layer_rule_of("llama-4-scout", 8193), "window");
    EXPECT_EQ(layer_rule_of("deepseek-v3", 1), "layer_kinds");
    auto model = load_language_model("deepseek-v3");
    model.kinds.clear();
    model.alike.clear();
    EXPECT_EQ(broken_layers(model, 1)->rule, "latent_attention");
    EXPECT_THAT(broken_layers(model, 1)->reason, says("latent"));
    EXPECT_THAT(broken_layers(load_language_model("gemma-2-9b"), 5000)->reason, says("window"));
    EXPECT_THAT(broken_layers(load_language_model("deepseek-v3"), 1)->reason, says("kinds"));
}

TEST(Generation, rows_take_what_the_rules_are_about) {
    EXPECT_EQ(generation_row("a pass per token").choices, (std::vector<std::string>{"autoregressive", "diffusion"}));
    EXPECT_THAT(generation_row("a pass per token").meaning, says("pass-per-token"));
    EXPECT_EQ(model_cache_row().choices.at(static_cast<std::size_t>(model_cache_row().default_value.as_choice())),
              "dual");
    for (auto const& row : {steps_row(), block_length_row()}) {
        EXPECT_EQ(row.lower, 1.0) << row.name;
        EXPECT_GT(row.upper, row.lower) << row.name;
    }
}

}  // namespace
}  // namespace pimdse::models
