#include "sim/base/check.hpp"
#include "sim/base/words.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::sim::check_test {
namespace {

using ::testing::HasSubstr;

TEST(Check, throws_with_the_place_where_a_contract_broke) {
    EXPECT_NO_THROW(expects(true, "fine"));
    try {
        expects(false, "counts are positive");
        FAIL() << "a broken precondition passed";
    } catch (ContractViolation const& error) {
        EXPECT_THAT(error.what(), says("counts-positive"));
        EXPECT_THAT(error.what(), HasSubstr("check_test.cpp"));
    }
    EXPECT_THROW(ensures(false, "x"), ContractViolation);
}

TEST(Check, keeps_every_sentence_of_an_input_error) {
    InputError const error(std::vector<std::string>{"a", "b"});
    EXPECT_EQ(error.sentences().size(), 2U);
    EXPECT_STREQ(error.what(), "a\nb");
}

TEST(Suggestion, names_what_is_near_and_lists_what_is_known_otherwise) {
    EXPECT_EQ(nearest_name("lora_rnk", {"lora_rank", "llm"}), "lora_rank");
    EXPECT_EQ(nearest_name("tltt", {"ttft", "ttlt"}), "ttlt");
    EXPECT_EQ(suggestion("zzzzzzzzz", std::vector<std::string>(14, "a")),
              " Known: a, a, a, a, a, a, a, a, a, a, a, a and 2 more.");
    EXPECT_EQ(nearest_name("hqq", {"awq"}), "") << "most of a short word";
    EXPECT_EQ(nearest_name("zzzzzzzz", {"lora_rank", "llm"}), "");
    EXPECT_THAT(suggestion("zzzzzzzz", {"a", "b"}), HasSubstr("Known: a, b."));
    EXPECT_EQ(suggestion("x", {}), "");
}

}  // namespace
}  // namespace pimdse::sim::check_test
