#include "dse/search/task_index.hpp"

#include <gtest/gtest.h>
#include <string>

namespace pimdse::dse::search::failure_texts_test {
namespace {

TEST(FailureTexts, keeps_each_pair_once) {
    FailureTexts texts;
    EXPECT_EQ(texts.add("fits", "too big"), 0U);
    EXPECT_EQ(texts.add("fit", "stoo big"), 1U) << "the same letters, parted elsewhere";
    EXPECT_EQ(texts.add("", ""), 2U);
    for (std::uint32_t k = 0; k < 5000; ++k) ASSERT_EQ(texts.add("rule", std::to_string(k)), 3 + k);
    for (std::uint32_t k = 0; k < 5000; ++k) ASSERT_EQ(texts.add("rule", std::to_string(k)), 3 + k);
    EXPECT_EQ(texts.add("fits", "too big"), 0U);
    EXPECT_EQ(texts.size(), 5003U);
    EXPECT_EQ(texts.rule(1), "fit");
    EXPECT_EQ(texts.reason(1), "stoo big");
    EXPECT_EQ(texts.reason(4999), "4996");
}

TEST(FailureTexts, of_a_copy_go_their_own_way) {
    FailureTexts texts;
    for (std::uint32_t k = 0; k < 1500; ++k) texts.add("a", std::to_string(k));
    FailureTexts copy = texts;
    EXPECT_EQ(texts.add("b", "here"), 1500U);
    EXPECT_EQ(copy.add("a", "1499"), 1499U);
    EXPECT_EQ(copy.add("b", "there"), 1500U);
    EXPECT_EQ(texts.reason(1500), "here");
    EXPECT_EQ(copy.reason(1500), "there");
}

}  // namespace
}  // namespace pimdse::dse::search::failure_texts_test
