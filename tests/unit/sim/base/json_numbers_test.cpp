#include "sim/base/json_numbers.hpp"

#include "sim/base/random.hpp"

#include <gtest/gtest.h>
#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::sim::json_numbers_test {
namespace {

TEST(JsonNumbers, that_a_double_holds_stay) {
    for (auto const* text : {"", "{}", "[1, -2.5e3, 1e308, 0.1e-400, true, null]", "{\"a\": \"NaN\", \"Infinity\": 1}",
                             "\"1e400", "\"\\\"\", -1e-999", "nan", "Infinities", "--Infinity"})
        EXPECT_EQ(with_unheld_numbers_quoted(text), text);
}

TEST(JsonNumbers, that_no_double_holds_become_texts) {
    EXPECT_EQ(with_unheld_numbers_quoted("[NaN,Infinity, -Infinity\n]"), "[\"NaN\",\"Infinity\", \"-Infinity\"\n]");
    EXPECT_EQ(with_unheld_numbers_quoted("{\"a\\\\\": 1e400, \"b\": -1E+999}"),
              "{\"a\\\\\": \"1e400\", \"b\": \"-1E+999\"}");
    std::string const digits(400, '9');
    EXPECT_EQ(with_unheld_numbers_quoted(digits), "\"" + digits + "\"");
}

/// Tokens in any order: those in strings stay, the others are quoted one by one.
TEST(JsonNumbers, are_found_between_strings) {
    struct Token {
        std::string text, quoted;
    };
    std::vector<Token> const tokens{{"1e400", "\"1e400\""},
                                    {"NaN", "\"NaN\""},
                                    {"1e300", "1e300"},
                                    {"\"NaN\"", "\"NaN\""},
                                    {"\"\\\"1e400\"", "\"\\\"1e400\""},
                                    {"true", "true"},
                                    {"{}", "{}"}};
    std::uint64_t drawn = 0;
    auto const below = [&](std::size_t end) { return mixed_sequence(++drawn) % end; };
    for (int round = 0; round < 2000; ++round) {
        std::string text = "[", expected = "[";
        for (auto count = below(8); count > 0; --count) {
            auto const& token = tokens[below(tokens.size())];
            text += token.text + ", ";
            expected += token.quoted + ", ";
        }
        EXPECT_EQ(with_unheld_numbers_quoted(text + "1]\n"), expected + "1]\n");
    }
}

}  // namespace
}  // namespace pimdse::sim::json_numbers_test
