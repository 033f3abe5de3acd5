#include "models/llm/language_models.hpp"
#include "sim/base/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>

namespace pimdse::models {
namespace {

TEST(LanguageModel, totals_agree_with_the_published_parameters) {
    auto const names = language_model_names();
    EXPECT_GE(names.size(), 25U);
    for (auto const& name : names) {
        auto const model = load_language_model(name);
        double const ours = static_cast<double>(models::total_parameters(model));
        // Published totals have four digits; LLaDA-MoE's is rounded to 7.36 B.
        EXPECT_LT(std::abs(ours / model.published_parameters - 1.0), 5e-4) << name;
        EXPECT_FALSE(model.source.empty()) << name;
    }
}

TEST(LanguageModel, has_the_weights_that_the_papers_count) {
    auto const opt = load_language_model("opt-6.7b");
    EXPECT_EQ(opt.layers * models::layer_weights(opt), 6'442'450'944);
    EXPECT_EQ(models::kv_elements_per_token(opt) * opt.layers * 2, 512 * 1024);
    EXPECT_EQ(load_language_model("llama-3.2-1b").kv_width(), 512);
}

TEST(LanguageModel, suggests_a_name_that_is_near) {
    try {
        (void)load_language_model("opt-6.7");
        FAIL() << "an unknown model was read";
    } catch (sim::InputError const& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("'opt-6.7b'"));
    }
}

TEST(LanguageModel, of_a_name_that_no_file_system_takes_is_unknown) {
    EXPECT_THROW((void)load_language_model(std::string(5000, 'x')), sim::InputError);
}

}  // namespace
}  // namespace pimdse::models
