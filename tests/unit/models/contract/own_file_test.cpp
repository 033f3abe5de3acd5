#include "models/contract/parameter_text.hpp"

#include "models/contract/parameter_table.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "models/llm/language_models.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::models::own_file_test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(OwnFile, AChoiceTakesShippedNamesAndPaths) {
    auto parameter = or_own_model(choice("llm", {"opt-1.3b"}, "a model"));
    EXPECT_EQ(read_value(parameter, "opt-1.3b").as_choice(), 0U);
    auto const file = (data_directory() / "models/llm/opt-125m.toml").string();
    EXPECT_EQ(read_value(parameter, file).as_choice(), 1U);
    EXPECT_EQ(read_value(parameter, file).as_choice(), 1U);
    EXPECT_EQ(parameter.choices.back(), file);
    EXPECT_EQ(load_language_model(file).layers, load_language_model("opt-125m").layers);
}

TEST(OwnFile, WhatIsNoPathIsAnUnknownChoice) {
    auto parameter = or_own_model(choice("llm", {"opt-1.3b"}, "a model"));
    EXPECT_THAT([&] { (void)read_value(parameter, "opt-1.4b"); },
                ThrowsMessage<sim::InputError>(says("did-you-mean-opt")));
    EXPECT_THAT([&] { (void)read_value(parameter, "nowhere/at-all.toml"); },
                ThrowsMessage<sim::InputError>(says("nowhere-cannot-read")));
    EXPECT_EQ(parameter.choices.size(), 1U);
}

TEST(OwnFile, HasOneOfTheEndingsOfItsParameter) {
    auto model = or_own_model(choice("llm", {"opt-1.3b"}, "a model"));
    EXPECT_THAT(model.meaning, HasSubstr(".toml, .json"));
    auto kernel = or_own_file(choice("kernel", {"va"}, "a kernel"), [](std::string const&) {});
    EXPECT_EQ(read_value(kernel, "own.toml").as_choice(), 1U);
    EXPECT_THAT([&] { (void)read_value(kernel, "own.json"); }, ThrowsMessage<sim::InputError>(says("kernel-in-json")));
}

TEST(OwnFile, IsFoundByTheEndOfItsPathWhereThatIsOneFile) {
    std::vector<std::string> const choices{"opt-1.3b", "/a/x.toml", "/b/x.toml", "/b/y.toml"};
    EXPECT_EQ(find_choice(choices, "opt-1.3b"), 0U);
    EXPECT_EQ(find_choice(choices, "/b/x.toml"), 2U);
    EXPECT_EQ(find_choice(choices, "y.toml"), 3U);
    EXPECT_EQ(find_choice(choices, "./y.toml"), 3U);
    EXPECT_EQ(find_choice(choices, "b/x.toml"), 2U);
    for (auto const* none : {"x.toml", "1.3b", "z.toml", "oml", ".toml", ""})
        EXPECT_EQ(find_choice(choices, none), choices.size()) << none;
}

TEST(OwnFile, TheListingThatAKernelNamesStandsBesideIt) {
    auto const kernels = data_directory() / "models/upmem/kernels";
    EXPECT_EQ(listing_beside(kernels / "va.toml"), kernels / "va.s");
    EXPECT_TRUE(listing_beside(kernels / "trns.toml").empty());
}

}  // namespace
}  // namespace pimdse::models::own_file_test
