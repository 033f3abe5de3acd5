#include "models/llm/language_models.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/refused.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>

namespace pimdse::models::language_model_test {
namespace {

TEST(LanguageModel, totals_agree_with_the_published_parameters) {
    auto const names = language_model_names();
    int published = 0;
    for (auto const& name : names) {
        auto const model = load_language_model(name);
        EXPECT_FALSE(model.source.empty()) << name;
        if (model.published_parameters == 0.0) continue;
        ++published;
        double const ours = static_cast<double>(models::total_parameters(model));
        // Published totals have four digits; LLaDA-MoE's is rounded to 7.36 B; Llama 4's contains its vision tower.
        double const tolerance = name == "llama-4-scout" ? 1e-2 : 5e-4;
        EXPECT_LT(std::abs(ours / model.published_parameters - 1.0), tolerance) << name;
    }
    EXPECT_GE(published, 25);
}

TEST(LanguageModel, uses_as_many_parameters_per_token_as_its_authors_say) {
    int published = 0;
    for (auto const& name : language_model_names()) {
        auto const model = load_language_model(name);
        auto const active = static_cast<double>(active_parameters(model));
        if (model.published_active == 0.0) continue;
        // Some authors count the embedding, some do not; published numbers have two or three digits.
        auto const embedding = static_cast<double>(lm_head_weights(model));
        EXPECT_LT(model.published_active, 1.02 * active) << name;
        EXPECT_GT(model.published_active, 0.98 * (active - embedding)) << name;
        ++published;
    }
    EXPECT_GE(published, 7);
}

TEST(LanguageModel, without_experts_uses_all_parameters) {
    auto const model = load_language_model("qwen3-8b");
    EXPECT_EQ(active_parameters(model), total_parameters(model));
}

TEST(LanguageModel, of_deepseek_caches_576_elements_a_token_and_layer) {
    auto const model = load_language_model("deepseek-v3");
    EXPECT_EQ(kv_elements_per_token(model) * model.layers, 61 * 576);
}

TEST(LanguageModel, has_the_weights_that_the_papers_count) {
    auto const opt = load_language_model("opt-6.7b");
    EXPECT_EQ(opt.layers * models::layer_weights(opt), 6'442'450'944);
    EXPECT_EQ(models::kv_elements_per_token(opt) * opt.layers * 2, 512 * 1024);
    EXPECT_EQ(load_language_model("llama-3.2-1b").kv_width(), 512);
}

TEST(LanguageModel, suggests_a_name_that_is_near) {
    EXPECT_THAT(refusal_by([&] { (void)load_language_model("opt-6.7"); }), ::testing::HasSubstr("'opt-6.7b'"));
}

TEST(LanguageModel, of_a_name_that_no_file_system_takes_is_unknown) {
    EXPECT_THROW((void)load_language_model(std::string(5000, 'x')), sim::InputError);
}

}  // namespace
}  // namespace pimdse::models::language_model_test
