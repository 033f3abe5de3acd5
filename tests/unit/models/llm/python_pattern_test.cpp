#include "models/llm/python_pattern.hpp"

#include <gtest/gtest.h>
#include <array>
#include <random>
#include <regex>
#include <string>
#include <string_view>

namespace pimdse::models::python_pattern_test {
namespace {

bool matches(std::string const& pattern, std::string const& text) {
    auto const parsed = PythonPattern::parse(pattern);
    EXPECT_TRUE(parsed) << pattern;
    return parsed && parsed->matches(text);
}

/// What re.match of Python says of the same.
TEST(PythonPattern, matches_the_beginning_of_a_text_as_python_does) {
    std::string const name = "model.layers.12.mlp.gate_proj";
    for (auto const* yes : {".*gate",
                            ".*gate_proj$",
                            "model",
                            "",
                            "model\\.layers\\.\\d+\\.mlp",
                            ".*(up|gate)_proj",
                            "^model",
                            "(?!.*attn).*",
                            "(?=.*mlp)model",
                            "[a-m]odel",
                            "[^a-l]odel",
                            "mo{0,1}del",
                            "model.{1,5}yers",
                            ".*\\bmlp\\b",
                            "(?:model|x)+?\\.",
                            "(?P<a>model)",
                            ".*layers.1[0-9]",
                            "model|",
                            "(a*)*model",
                            "\\Amodel.*\\Z",
                            ".*[_.]proj",
                            "m\\w+\\W"})
        EXPECT_TRUE(matches(yes, name)) << yes;
    for (auto const* no : {"gate", ".*gate$", "layers", "model.layers.2", "(?!.*mlp).*", "[^m]odel", "mo{2}del",
                           ".*\\bgate\\b", "model$", "Model", ".*\\s", "a|b", "mode.x"})
        EXPECT_FALSE(matches(no, name)) << no;
}

/// Random expressions of what the standard library reads alike: its matcher, which tries one way after the other, is
/// the slow reference.
class RandomPattern {
  public:
    explicit RandomPattern(unsigned seed) : random_(seed) {}
    std::string pattern(int depth) {
        std::string all;
        for (auto parts = below(3) + 1; parts > 0; --parts) all += repeated(depth);
        return below(3) == 0 ? all + "|" + repeated(depth) : all;
    }
    std::string text() {
        std::string all;
        for (auto letters = below(7); letters > 0; --letters) all += "ab."[below(3)];
        return all;
    }

  private:
    std::size_t below(std::size_t n) { return random_() % n; }
    std::string repeated(int depth) {
        constexpr std::array<std::string_view, 8> counts{"", "", "", "*", "+", "?", "{2}", "{1,3}"};
        return single(depth) + std::string(counts[below(counts.size())]);
    }
    std::string single(int depth) {
        constexpr std::array<std::string_view, 7> letters{"a", "b", ".", "[ab]", "[^a]", "\\w", "\\."};
        switch (depth == 0 ? 0 : below(6)) {
            case 1:
                return "(" + pattern(depth - 1) + ")";
            case 2:
                return "(?:" + pattern(depth - 1) + ")";
            case 3:
                return "(?:" + std::string(below(2) == 0 ? "(?=" : "(?!") + pattern(depth - 1) + ")" +
                       pattern(depth - 1) + ")";
            case 4:
                return "(?:" + std::string(below(2) == 0 ? "^" : "\\b") + pattern(depth - 1) + ")";
            default:
                return std::string(letters[below(letters.size())]);
        }
    }
    std::mt19937 random_;
};

TEST(PythonPattern, says_what_a_matcher_says_that_tries_one_way_after_the_other) {
    RandomPattern random(7);
    int matched = 0, tried = 0;
    for (int n = 0; n < 2000; ++n) {
        auto const pattern = random.pattern(2);
        auto const parsed = PythonPattern::parse(pattern);
        ASSERT_TRUE(parsed) << pattern;
        std::regex const reference(pattern);
        for (int t = 0; t < 4; ++t, ++tried) {
            auto const text = random.text();
            bool const expected = std::regex_search(text, reference, std::regex_constants::match_continuous);
            EXPECT_EQ(parsed->matches(text), expected) << pattern << " on '" << text << "'";
            matched += expected ? 1 : 0;
        }
    }
    EXPECT_GT(matched, tried / 8);
    EXPECT_LT(matched, tried - tried / 8);
}

TEST(PythonPattern, says_whether_another_digit_may_matter) {
    for (auto const* no : {".*\\.experts\\.", "layers\\.\\d+\\.mlp", "[^a]", "\\w", "\\W.", ".*[0-9]{2}$", ""}) {
        auto const pattern = PythonPattern::parse(no);
        ASSERT_TRUE(pattern) << no;
        EXPECT_FALSE(pattern->tells_digits_apart()) << no;
    }
    for (auto const* yes : {"layers\\.3", "[0-8]", "[^5]", "(?!.*1)a", "w1|up", "a|b|0"}) {
        auto const pattern = PythonPattern::parse(yes);
        ASSERT_TRUE(pattern) << yes;
        EXPECT_TRUE(pattern->tells_digits_apart()) << yes;
    }
}

TEST(PythonPattern, that_is_none_is_refused) {
    for (auto const* text : {"(", ")", "[a", "*", "a)", "\\1", "(?<=a)b", "a{3", "(?x", "a{5000}", "((((a{99}){99})))"})
        EXPECT_EQ(PythonPattern::parse(text).has_value(), std::string(text) == "a{3") << text;
    EXPECT_FALSE(PythonPattern::parse(std::string(1000, '(')));
}

TEST(PythonPattern, takes_a_time_that_grows_with_the_text_only) {
    auto const pattern = PythonPattern::parse("(a|a|aa)*(a*)*b");
    ASSERT_TRUE(pattern);
    EXPECT_FALSE(pattern->matches(std::string(5000, 'a')));
}

TEST(PythonPattern, of_wildcards_matches_whole_texts) {
    auto const whole = [](std::string const& text, std::string const& name) {
        auto const pattern = PythonPattern::of_wildcards(text);
        return pattern && pattern->matches(name);
    };
    EXPECT_TRUE(whole("*self_attn*", "model.layers.0.self_attn.q_proj"));
    EXPECT_FALSE(whole("self_attn*", "model.layers.0.self_attn.q_proj"));
    EXPECT_TRUE(whole("lm_hea?", "lm_head"));
    EXPECT_FALSE(whole("lm.head", "lm_head"));
    EXPECT_TRUE(whole("layers.[0-2].*", "layers.1.mlp"));
    EXPECT_FALSE(whole("layers.[!0-2].*", "layers.1.mlp"));
}

}  // namespace
}  // namespace pimdse::models::python_pattern_test
