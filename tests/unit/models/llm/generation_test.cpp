#include "models/llm/request_passes.hpp"

#include "models/llm/language_models.hpp"
#include "models/llm/model_choices.hpp"
#include "tests/unit/says.hpp"

#include <gtest/gtest.h>
#include <tuple>

namespace pimdse::models::generation_test {
namespace {

std::optional<Infeasible> refused(LanguageModel const& model, bool diffuses, std::int64_t input, std::int64_t output,
                                  std::int64_t block) {
    return broken_generation(
        {&model, 1, input, output, diffuses ? Generation::diffusion : Generation::autoregressive, 1, block});
}

/// The rule that a request violates; "" if it violates none.
std::string rule_of(LanguageModel const& model, bool diffuses, std::int64_t input, std::int64_t output,
                    std::int64_t block) {
    auto const refusal = refused(model, diffuses, input, output, block);
    return refusal ? refusal->rule : "";
}

TEST(Generation, is_refused_where_a_model_generates_the_other_way) {
    for (auto const& name : language_model_names()) {
        auto const model = load_language_model(name);
        bool const diffuses = model.attention == models::Attention::bidirectional;
        EXPECT_EQ(rule_of(model, diffuses, 32, 32, 32), "") << name;
        EXPECT_EQ(rule_of(model, !diffuses, 32, 32, 32), "generation") << name;
        auto const refusal = refused(model, !diffuses, 32, 32, 32);
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
        EXPECT_EQ(rule_of(model, diffuses, max - 32, 32, 32), "") << name;
        EXPECT_EQ(rule_of(model, diffuses, max - 31, 32, 32), "context") << name;
        EXPECT_EQ(rule_of(model, diffuses, 1, max, 1), "context") << name;
        EXPECT_EQ(rule_of(model, diffuses, 0, max, 1), "") << name;
    }
}

TEST(Generation, is_in_whole_blocks_of_models_that_denoise) {
    for (auto const& name : language_model_names()) {
        auto const model = load_language_model(name);
        bool const diffuses = model.attention == models::Attention::bidirectional;
        for (std::int64_t output = 1; output <= 40; ++output) {
            for (std::int64_t const block : {1, 2, 3, 8, 32, 64}) {
                bool const whole = output % block == 0;
                EXPECT_EQ(rule_of(model, diffuses, 8, output, block), whole || !diffuses ? "" : "blocks")
                    << name << ", " << output << " tokens in blocks of " << block;
            }
        }
    }
}

TEST(Generation, rows_take_what_the_rules_are_about) {
    ParameterTable<ModelRequest, ModelChoices> table;
    add_generation(table, "a pass per token");
    auto const& [generation, steps, block_length, cache] =
        std::tie(table.parameters()[0], table.parameters()[1], table.parameters()[2], table.parameters()[3]);
    EXPECT_EQ(generation.choices, (std::vector<std::string>{"autoregressive", "diffusion"}));
    EXPECT_THAT(generation.meaning, says("pass-per-token"));
    EXPECT_EQ(cache.choices.at(static_cast<std::size_t>(cache.default_value.as_choice())), "dual");
    for (auto const& row : {steps, block_length}) {
        EXPECT_EQ(row.lower, 1.0) << row.name;
        EXPECT_GT(row.upper, row.lower) << row.name;
    }
}

}  // namespace
}  // namespace pimdse::models::generation_test
