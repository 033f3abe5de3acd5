#include "sim/base/words.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <random>
#include <string>

namespace pimdse::sim::utf8_test {
namespace {

/// A byte of a character that is not its first.
constexpr bool follows(unsigned char byte) { return byte >= 0x80 && byte <= 0xBF; }

/// How many bytes the character at `at` has, by the table of RFC 3629; 0 if there is none.
std::size_t character_at(std::string_view text, std::size_t at) {
    auto const byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : static_cast<unsigned char>(0);
    };
    unsigned char const a = byte(0), b = byte(1);
    if (a <= 0x7F) return 1;
    if (a >= 0xC2 && a <= 0xDF) return follows(b) ? 2 : 0;
    bool const third = follows(byte(2));
    if (a == 0xE0) return b >= 0xA0 && b <= 0xBF && third ? 3 : 0;
    if (a == 0xED) return b >= 0x80 && b <= 0x9F && third ? 3 : 0;
    if (a >= 0xE1 && a <= 0xEF) return follows(b) && third ? 3 : 0;
    bool const fourth = third && follows(byte(3));
    if (a == 0xF0) return b >= 0x90 && b <= 0xBF && fourth ? 4 : 0;
    if (a >= 0xF1 && a <= 0xF3) return follows(b) && fourth ? 4 : 0;
    if (a == 0xF4) return b >= 0x80 && b <= 0x8F && fourth ? 4 : 0;
    return 0;
}

std::string replaced(std::string_view text) {
    std::string made;
    for (std::size_t at = 0; at < text.size();) {
        auto const length = character_at(text, at);
        made += length == 0 ? "\xEF\xBF\xBD" : std::string(text.substr(at, length));
        at += std::max<std::size_t>(length, 1);
    }
    return made;
}

void expect_as_the_table_says(std::string const& text) {
    auto const expected = replaced(text);
    ASSERT_EQ(sim::is_utf8(text), expected == text) << ::testing::PrintToString(text);
    ASSERT_EQ(sim::as_utf8(text), expected) << ::testing::PrintToString(text);
}

TEST(Utf8, is_what_the_table_of_its_standard_says) {
    constexpr std::array<unsigned char, 24> edges{0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0,
                                                  0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC,
                                                  0xED, 0xEE, 0xEF, 0xF0, 0xF3, 0xF4, 0xF5, 0xFF};
    expect_as_the_table_says("");
    for (int a = 0; a < 256; ++a) {
        for (int b = 0; b < 256; ++b) expect_as_the_table_says({static_cast<char>(a), static_cast<char>(b)});
    }
    std::mt19937_64 random(3);
    for (int round = 0; round < 100'000; ++round) {
        std::string text;
        for (auto length = 3 + random() % 5; length > 0; --length)
            text += static_cast<char>(edges[random() % edges.size()]);
        expect_as_the_table_says(text);
    }
}

}  // namespace
}  // namespace pimdse::sim::utf8_test
