#include "dse/cli/phrases.hpp"
#include "dse/cli/text_table.hpp"
#include "sim/base/csv_rows.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <random>

namespace pimdse::dse::cli::tables_test {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::string> lines_of(std::string const& text) {
    std::vector<std::string> lines;
    for (auto const line : sim::split(text, '\n')) lines.emplace_back(line);
    EXPECT_EQ(lines.back(), "") << "the last line has an end";
    lines.pop_back();
    return lines;
}

std::size_t widest(std::string const& text) {
    std::size_t max = 0;
    for (auto const line : sim::split(text, '\n')) max = std::max(max, line.size());
    return max;
}

std::vector<std::string> words_in(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return sim::words_of(text, ' ');
}

TextTable table_of(Rows const& rows) {
    TextTable table(rows[0]);
    for (std::size_t i = 1; i < rows.size(); ++i) table.add(rows[i]);
    return table;
}

/// Texts and numbers of some length without a space.
struct Draw {
    std::mt19937 random;
    std::size_t below(std::size_t limit) { return random() % limit; }
    std::string word(std::size_t longest) {
        return std::string(1 + below(longest), static_cast<char>('a' + below(26)));
    }
    std::string number() {
        return fmt::format("{}", below(10) < 2 ? -static_cast<int>(below(999)) - 1 : static_cast<int>(below(99999)));
    }
    Rows rows(std::size_t columns) {
        Rows rows(2 + below(4));
        for (std::size_t c = 0; c < columns; ++c) {
            bool const numeric = below(2) == 0;
            rows[0].push_back(word(9));
            for (std::size_t r = 1; r < rows.size(); ++r) rows[r].push_back(numeric ? number() : word(9));
        }
        return rows;
    }
};

/// What columns of cells look like, by definition: padded to the widest, two spaces between, none at the end.
std::string aligned(Rows const& rows, std::vector<std::size_t> const& columns) {
    std::string text;
    for (auto const& row : rows) {
        std::string line;
        for (auto const c : columns) {
            std::size_t width = 0;
            bool numeric = true;
            for (auto const& other : rows) width = std::max(width, other[c].size());
            for (std::size_t r = 1; r < rows.size(); ++r)
                numeric = numeric && (std::isdigit(rows[r][c][0]) != 0 || rows[r][c][0] == '-');
            std::string const pad(width - row[c].size(), ' ');
            line += (line.empty() ? "" : "  ") + (numeric ? pad + row[c] : row[c] + pad);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

TEST(Tables, of_any_cells_are_padded_columns) {
    Draw draw{std::mt19937(1)};
    for (int round = 0; round < 200; ++round) {
        auto const rows = draw.rows(1 + draw.below(6));
        std::vector<std::size_t> columns;
        for (std::size_t c = 0; c < rows[0].size(); ++c) columns.push_back(c);
        EXPECT_EQ(table_of(rows).text(), aligned(rows, columns));
        EXPECT_EQ(table_of(rows).text(1000), aligned(rows, columns));
    }
}

TEST(Tables, that_are_too_wide_have_every_column_once_and_the_first_in_each_part) {
    Draw draw{std::mt19937(2)};
    for (int round = 0; round < 200; ++round) {
        auto const rows = draw.rows(3 + draw.below(12));
        for (std::size_t const width : {40U, 80U, 120U}) {
            std::string wanted;
            std::size_t const columns = rows[0].size();
            for (std::size_t next = 1; next < columns || wanted.empty();) {
                std::vector<std::size_t> part{0, next++};
                for (; next < columns; ++next) {  // one more, as long as it fits
                    part.push_back(next);
                    if (widest(aligned({rows.begin(), rows.end()}, part)) <= width) continue;
                    part.pop_back();
                    break;
                }
                wanted += (wanted.empty() ? "" : "\n") + aligned(rows, part);
            }
            auto const text = table_of(rows).text(width);
            EXPECT_LE(widest(text), width);
            if (widest(table_of(rows).text()) > width) {
                EXPECT_EQ(words_in(text), words_in(wanted)) << text << "\n" << wanted;
            }
        }
    }
}

TEST(Tables, that_end_in_prose_fit_and_lose_no_word) {
    Draw draw{std::mt19937(3)};
    for (int round = 0; round < 300; ++round) {
        auto rows = draw.rows(1 + draw.below(5));
        rows[0].emplace_back("meaning");
        for (std::size_t r = 1; r < rows.size(); ++r) {
            std::string prose = draw.word(9);
            for (auto more = 4 + draw.below(40); more > 0; --more) prose += " " + draw.word(9);
            rows[r].push_back(prose);
        }
        for (std::size_t const width : {40U, 80U, 120U}) {
            auto const text = table_of(rows).text(width);
            EXPECT_LE(widest(text), width) << text;
            for (std::size_t r = 1; r < rows.size(); ++r) {
                auto const found = words_in(text);
                for (auto const& cell : rows[r]) {
                    for (auto const& word : words_in(cell)) {
                        EXPECT_TRUE(std::ranges::any_of(
                            found, [&](auto const& other) { return other == word || other == word + ";"; }))
                            << word << " in\n"
                            << text;
                    }
                }
            }
            for (auto const& line : lines_of(text)) EXPECT_FALSE(line.ends_with(' ')) << text;
        }
    }
}

TEST(Tables, with_letters_of_several_bytes_stand_in_line) {
    TextTable table({"name", "n"});
    table.add({"\u00e4\u00f6\u00fc", "1"});
    table.add({"abc", "22"});
    auto const lines = lines_of(table.text());
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[1].size() - 3, lines[2].size()) << "three letters take two bytes each and one column";
}

TEST(Csv, is_read_back_cell_by_cell) {
    Draw draw{std::mt19937(4)};
    constexpr std::string_view letters = "ab ,\";'\t\r";
    for (int round = 0; round < 2000; ++round) {
        std::vector<std::string> row(1 + draw.below(5));
        for (auto& cell : row) {
            for (auto left = draw.below(6); left > 0; --left) cell += letters[draw.below(letters.size())];
        }
        TextTable const table(row);
        auto const text = table.csv();
        ASSERT_EQ(text.back(), '\n');
        auto const back = sim::csv_cells(std::string_view(text).substr(0, text.size() - 1));
        EXPECT_EQ(back, row) << text;
    }
}

/// Words put on lines one after the other while they fit, by definition.
std::string broken(std::vector<std::string> const& words, std::size_t width, std::size_t indent) {
    std::string text, line;
    for (auto const& word : words) {
        bool const is_first = line.find_first_not_of(' ') == line.npos;
        if (!is_first && line.size() + 1 + word.size() > width) {
            text += line + "\n";
            line = std::string(indent, ' ') + word;
        } else {
            line += (is_first ? "" : " ") + word;
        }
    }
    return text + line;
}

TEST(Wrapped, fills_lines_with_as_many_words_as_fit) {
    Draw draw{std::mt19937(5)};
    for (int round = 0; round < 1000; ++round) {
        std::vector<std::string> words(1 + draw.below(30));
        std::string text;
        for (auto& word : words) {
            word = draw.word(12);
            text += (text.empty() ? "" : " ") + word;
        }
        std::size_t const width = 10 + draw.below(60), indent = draw.below(6);
        EXPECT_EQ(wrapped(text, width, indent), broken(words, width, indent)) << text << " in " << width;
        EXPECT_EQ(wrapped(text + "\n", width, indent), broken(words, width, indent) + "\n");
    }
}

TEST(Wrapped, makes_no_line_of_spaces_alone) {
    for (std::size_t width = 4; width < 24; ++width) {
        for (auto const* text :
             {"aaa bbb ccc           ", "aaa bbb ccc           \nddd", "aaa           \n\nbbb    \n"}) {
            auto const found = wrapped(text, width, 2);
            for (auto const line : sim::split(found, '\n'))
                EXPECT_TRUE(line.empty() || line.find_first_not_of(' ') != line.npos) << '"' << found << '"';
            EXPECT_EQ(words_in(found), words_in(text));
        }
    }
}

TEST(Screen, is_as_wide_as_its_user_says_and_no_narrower_than_forty) {
    auto const with = [](char const* columns) {
        ::setenv("COLUMNS", columns, 1);
        auto const width = screen_width();
        ::unsetenv("COLUMNS");
        return width;
    };
    EXPECT_EQ(with("80"), 80U);
    EXPECT_EQ(with("40"), 40U);
    EXPECT_EQ(with("39"), 40U);
    EXPECT_EQ(with("1"), 40U);
    for (auto const* nothing : {"", "0", "-80", "80x", " 80", "99999999999999999999999"})
        EXPECT_EQ(with(nothing), screen_width()) << nothing;
}

TEST(Breakdown, names_what_limits_each_phase_and_its_share_of_the_roof) {
    EXPECT_EQ(limit_text({"decode", "bank bandwidth", 390.72e9, 444e9, "B/s"}),
              "decode: bank bandwidth, 88 % of 444 GB/s");
    EXPECT_EQ(limit_text({"decode", "launches", 0.65, 1.0, "1"}), "decode: launches, 65 % of the time");
    models::Breakdown breakdown;
    breakdown.time = {{"prefill", 1.0}};
    EXPECT_EQ(breakdown_text(breakdown).find("limits"), std::string::npos);
    breakdown.limits = {{"prefill", "matrix unit", 2e12, 4e12, "FLOP/s"}};
    auto const said = "\nchat: what limits\n  prefill: matrix unit, 50 % of 4 TFLOP/s\n";
    EXPECT_NE(breakdown_text(breakdown, "chat: ").find(said), std::string::npos);
}

TEST(AssumedLine, names_metrics_that_rest_on_assumptions) {
    EXPECT_EQ(assumed_line({}), "");
    EXPECT_EQ(assumed_line({"area"}),
              "area rests on assumed constants (listed by pimdse describe ARCHITECTURE --ledger)\n");
    EXPECT_TRUE(assumed_line({"area", "energy"}).starts_with("area, energy rest on assumed constants"));
}

}  // namespace
}  // namespace pimdse::dse::cli::tables_test
