#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace pimdse::sim::words_test {
namespace {

std::string random_word(std::mt19937_64& random, std::string_view letters, std::size_t longest) {
    std::string word;
    for (auto length = random() % (longest + 1); length > 0; --length) word += letters[random() % letters.size()];
    return word;
}

/// All words at edit distance one from this one.
std::set<std::string> slips(std::string const& word, std::string_view letters) {
    std::set<std::string> all;
    for (std::size_t at = 0; at <= word.size(); ++at) {
        for (char const letter : letters) all.insert(word.substr(0, at) + letter + word.substr(at));
        if (at == word.size()) break;
        all.insert(word.substr(0, at) + word.substr(at + 1));
        for (char const letter : letters) all.insert(word.substr(0, at) + letter + word.substr(at + 1));
        if (at + 1 == word.size()) continue;
        auto exchanged = word;
        std::swap(exchanged[at], exchanged[at + 1]);
        all.insert(exchanged);
    }
    return all;
}

TEST(Trimmed, is_what_is_left_when_blanks_are_taken_off_one_by_one) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 2000; ++round) {
        std::string const text = random_word(random, " \t\rab", 8);
        std::string left = text;
        auto const is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
        while (!left.empty() && is_blank(left.front())) left.erase(0, 1);
        while (!left.empty() && is_blank(left.back())) left.pop_back();
        EXPECT_EQ(trimmed(text), left);
    }
    EXPECT_EQ(trimmed("--a-b--", "-"), "a-b");
}

TEST(Split, joined_again_is_the_text) {
    std::mt19937_64 random(2);
    for (int round = 0; round < 2000; ++round) {
        std::string const text = random_word(random, ";;ab", 9);
        auto const parts = split(text, ';');
        ASSERT_FALSE(parts.empty());
        std::string joined(parts[0]);
        std::vector<std::string> filled;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            EXPECT_EQ(parts[i].find(';'), std::string_view::npos);
            if (i > 0) joined += ";" + std::string(parts[i]);
            if (!parts[i].empty()) filled.emplace_back(parts[i]);
        }
        EXPECT_EQ(joined, text);
        EXPECT_EQ(words_of(text, ';'), filled);
    }
}

TEST(Clipped, is_short_says_the_length_and_cuts_no_character) {
    for (std::size_t length = 100; length < 140; ++length) {
        for (std::string_view const character : {"x", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
            std::string text(length % character.size(), '.');
            while (text.size() < length) text += character;
            auto const shown = clipped(text);
            if (text.size() <= 120) {
                EXPECT_EQ(shown, text);
                continue;
            }
            auto const dots = shown.find("... (");
            ASSERT_NE(dots, std::string::npos);
            EXPECT_TRUE(text.starts_with(shown.substr(0, dots)));
            EXPECT_EQ(shown.substr(dots), fmt::format("... ({} bytes)", text.size()));
            EXPECT_GT(dots, 56U);
            EXPECT_LE(dots, 60U);
            EXPECT_EQ((dots - length % character.size()) % character.size(), 0U) << "whole characters";
        }
    }
}

TEST(NearestName, is_the_one_that_takes_the_fewest_slips) {
    constexpr std::string_view letters = "abc";
    std::mt19937_64 random(3);
    for (int round = 0; round < 150; ++round) {
        std::string const wrong = random_word(random, letters, 5);
        std::map<std::string, int> distance{{wrong, 0}};
        for (auto const& one : slips(wrong, letters)) distance.try_emplace(one, 1);
        std::vector<std::string> known;
        for (int i = 0; i < 6; ++i) known.push_back(random_word(random, letters, 6));
        auto const found = nearest_name(wrong, known);
        auto const away = [&](std::string const& name) {
            bool const common = name == wrong || name.find_first_of(wrong) != std::string::npos;
            return common && distance.contains(name) ? distance[name] : 9;
        };
        auto const best = *std::ranges::min_element(known, {}, away);
        if (away(best) <= 1) {
            EXPECT_EQ(found, best) << wrong << ": the first of the nearest names";
        } else if (!found.empty()) {
            EXPECT_NE(std::ranges::find(known, found), known.end());
        }
    }
}

TEST(NearestName, is_a_name_that_ends_in_the_word_behind_a_point) {
    EXPECT_EQ(nearest_name("banks", {"ranks", "umdam.channels", "umdam.banks", "other.banks"}), "umdam.banks");
    EXPECT_EQ(nearest_name("anks", {"umdam.banks"}), "") << "a part of a word";
    EXPECT_EQ(nearest_name("", {"umdam."}), "");
}

TEST(NearestName, is_one_that_differs_in_the_case_of_letters_only) {
    EXPECT_EQ(nearest_name("DPU", {"host", "dpu"}), "dpu");
    EXPECT_EQ(nearest_name("PARALLEL", {"parallels", "Parallel"}), "Parallel");
    EXPECT_EQ(nearest_name("BANKS", {"umdam.banks"}), "") << "another length";
    EXPECT_EQ(suggestion("DPU", {"host", "dpu"}), " Did you mean 'dpu'?");
    EXPECT_EQ(suggestion("2", {"16", "8", "4"}), " Known: 16, 8, 4.") << "no digit is near to another one";
}

TEST(NearestName, is_the_only_one_that_goes_on_from_what_was_written) {
    EXPECT_EQ(nearest_name("--out", {"--set", "--output"}), "--output");
    EXPECT_EQ(nearest_name("--out", {"--oat", "--output"}), "--oat") << "one edit away";
    EXPECT_EQ(nearest_name("fidel", {"fidelity", "fidelities"}), "") << "ambiguous";
    EXPECT_EQ(nearest_name("out", {"output"}), "") << "too short";
    EXPECT_EQ(suggestion("r", {"m", "k", "n"}), " Known: m, k, n.") << "no common letter";
    EXPECT_EQ(nearest_name("mm", {"k", "m"}), "m");
}

TEST(NearestName, has_the_same_numbers) {
    std::vector<std::string> const models{"llama-3-8b", "llama-3.1-8b", "mixtral-8x7b", "opt-1.3b",       "opt-125m",
                                          "opt-13b",    "qwen2.5-3b",   "qwen3-8b",     "mistral-7b-v0.1"};
    for (auto const* other : {"llama-3-80b", "llama-3-70b", "llama-2-8b", "llama-3.2-8b", "mixtral-8x22b", "opt-1.4b",
                              "opt-1", "opt-12", "qwen2.5-32b", "qwen2-8b"})
        EXPECT_EQ(nearest_name(other, models), "") << other;
    EXPECT_EQ(nearest_name("opt-125", models), "opt-125m") << "a size without its unit";
    for (auto const& [typed, meant] : std::map<std::string, std::string>{{"llama3-8b", "llama-3-8b"},
                                                                         {"lama-3-8b", "llama-3-8b"},
                                                                         {"Llama_3.1_8B", "llama-3.1-8b"},
                                                                         {"mixtrl-8x7b", "mixtral-8x7b"},
                                                                         {"opt1.3b", "opt-1.3b"},
                                                                         {"qwen3-8", "qwen3-8b"},
                                                                         {"mistral-7b", "mistral-7b-v0.1"}})
        EXPECT_EQ(nearest_name(typed, models), meant);
}

TEST(NearestName, is_no_other_product) {
    std::vector<std::string> const boards{"a100", "h100", "rtx_4090", "tpu_v4i", "L5J", "pcie4", "pcie5", "nsga2"};
    for (auto const* other :
         {"b100", "h200", "v100", "rtx_5090", "tpu_v5e", "L5Q", "L4J", "pcie6", "pcie", "rtx_409", "nsga3"})
        EXPECT_EQ(nearest_name(other, boards), "") << other;
    EXPECT_EQ(nearest_name("H100", boards), "h100");
    EXPECT_EQ(nearest_name("rtx4090", boards), "rtx_4090");
    EXPECT_EQ(nearest_name("nsga", boards), "nsga2");
}

/// Any two names of random words and numbers, with slips in either.
TEST(NearestName, never_has_other_digits_unless_it_completes_the_word) {
    std::mt19937_64 random(4);
    auto const digits = [](std::string const& text) {
        std::string found;
        std::ranges::copy_if(text, std::back_inserter(found), [](char c) { return c >= '0' && c <= '9'; });
        return found;
    };
    for (int round = 0; round < 20'000; ++round) {
        std::vector<std::string> known;
        for (int i = 0; i < 4; ++i) known.push_back("name-" + random_word(random, "ab-.12", 6));
        auto const wrong = "name-" + random_word(random, "ab-.12", 6);
        auto const near = nearest_name(wrong, known);
        if (near.empty()) continue;
        EXPECT_TRUE(digits(near) == digits(wrong) || near.starts_with(wrong)) << wrong << ' ' << near;
    }
}

TEST(NearestName, is_none_where_more_than_two_letters_and_a_third_of_the_word_are_wrong) {
    EXPECT_EQ(nearest_name("abcdef", {"abcdXY"}), "abcdXY");
    EXPECT_EQ(nearest_name("abcdef", {"abcXYZ"}), "");
    EXPECT_EQ(nearest_name("abcdefghi", {"abcdefXYZ"}), "abcdefXYZ");
    EXPECT_EQ(nearest_name("abcdefghi", {"abcdeWXYZ"}), "");
    EXPECT_EQ(nearest_name("latnecy", {"energy", "latency"}), "latency");
    EXPECT_EQ(nearest_name(std::string(257, 'a'), {std::string(257, 'a')}), "") << "too long";
    EXPECT_EQ(nearest_name("x", {}), "");
}

TEST(Suggestion, lists_twelve_names_at_most) {
    EXPECT_EQ(suggestion("anything", {}), "");
    std::vector<std::string> many;
    for (int i = 10; i < 23; ++i) many.push_back(fmt::format("parameter_{}", i));
    EXPECT_TRUE(suggestion("q", many).ends_with("parameter_21 and 1 more."));
    many.pop_back();
    EXPECT_TRUE(suggestion("q", many).ends_with("parameter_20, parameter_21."));
}

}  // namespace
}  // namespace pimdse::sim::words_test
