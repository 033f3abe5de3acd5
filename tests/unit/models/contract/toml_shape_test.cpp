#include "models/contract/toml_file.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::models::toml_shape_test {
namespace {

/// Random TOML text, with the depth of nesting at each position.
class Writer {
  public:
    explicit Writer(std::uint64_t seed) : random_(seed) {
        for (auto lines = 1 + random_() % 6; lines > 0; --lines) {
            if (random_() % 4 == 0) comment();
            if (random_() % 5 == 0) header();
            key(0);
            value(0);
            put("\n", 0);
        }
    }

    [[nodiscard]] std::string const& text() const { return text_; }
    [[nodiscard]] int deepest() const { return std::ranges::max_element(places_, {}, &Place::depth)->depth; }
    [[nodiscard]] int first_line_beyond(int depth) const {
        auto const found = std::ranges::find_if(places_, [&](Place const& place) { return place.depth > depth; });
        return found == places_.end() ? 0 : found->line;
    }

  private:
    struct Place {
        int line = 1, depth = 0;
    };

    void put(std::string_view piece, int depth) {
        places_.push_back({line_, depth});
        text_ += piece;
        line_ += static_cast<int>(std::ranges::count(piece, '\n'));
    }

    void comment() { put("# [[[{{ it's \"open. [\n", 0); }

    void header() {
        put("[", 1);
        for (auto dots = random_() % 3, dot = dots - dots; dot <= dots; ++dot) {
            if (dot > 0) put(".", 1 + static_cast<int>(dot));
            put("h", 0);
        }
        put("]\n", 0);
    }

    void key(int open) {
        put("k", 0);
        for (int dot = 1, dots = static_cast<int>(random_() % 4); dot <= dots; ++dot) put(".k", open + dot);
        put(" = ", 0);
    }

    void value(int open) {
        switch (random_() % (open > 5 ? 5U : 8U)) {
            case 0:
                return put("7", 0);
            case 1:
                return put("0.5", open + 1);
            case 2:
                return put(R"("[{.. \" [[ # \\")", 0);
            case 3:
                return put(R"('[{.. \')", 0);
            case 4:
                return put("\"\"\"[[\n{{ \" \"\" ...\\\"\"\"\"", 0);
            case 5:
                return table(open + 1);
            default:
                return list(open + 1);
        }
    }

    void list(int open) {
        put("[", open);
        for (auto items = random_() % 4; items > 0; --items) {
            value(open);
            put(",", 0);
            if (random_() % 3 == 0) put("\n", 0);
            if (random_() % 5 == 0) comment();
        }
        put("]", open - 1);
    }

    void table(int open) {
        put("{ ", open);
        for (auto items = random_() % 3; items > 0; --items) {
            key(open);
            value(open);
            put(", ", 0);
        }
        put("}", open - 1);
    }

    std::mt19937_64 random_;
    std::string text_;
    int line_ = 1;
    std::vector<Place> places_;
};

TEST(TomlShape, names_the_first_line_that_is_deeper_whatever_texts_and_comments_hold) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        Writer const writer(seed);
        for (int depth = 0; depth <= writer.deepest() + 1; ++depth)
            ASSERT_EQ(line_nested_beyond(writer.text(), depth), writer.first_line_beyond(depth))
                << "beyond " << depth << " in\n"
                << writer.text();
    }
}

TEST(TomlShape, looks_at_what_is_no_toml_too) {
    std::mt19937_64 random(1);
    constexpr std::string_view letters = "[]{}\"'#\\.=,\na";
    for (int round = 0; round < 20'000; ++round) {
        std::string text;
        for (auto length = random() % 30; length > 0; --length) text += letters[random() % letters.size()];
        auto const lines = 1 + std::ranges::count(text, '\n');
        int last = line_nested_beyond(text, 0);
        for (int depth = 1; depth < 32; ++depth) {
            int const line = line_nested_beyond(text, depth);
            EXPECT_LE(line, lines);
            EXPECT_TRUE(line == 0 || (last != 0 && line >= last)) << "deeper nesting occurs later: " << text;
            last = line;
        }
        EXPECT_EQ(last, 0);
    }
}

}  // namespace
}  // namespace pimdse::models::toml_shape_test
