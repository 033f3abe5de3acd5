#include "dse/cli/text_table.hpp"

#include "dse/cli/text_table.hpp"

#include <gtest/gtest.h>
#include <sstream>

namespace pimdse::dse::cli::text_table_test {
namespace {

std::size_t widest(std::string const& text) {
    std::istringstream lines(text);
    std::size_t max = 0;
    for (std::string line; std::getline(lines, line);) max = std::max(max, line.size());
    return max;
}

std::string without_spaces(std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
}

TEST(Wrapped, breaks_between_words_and_loses_none) {
    std::string const text = "one two  three four\nfive six seveneightnineteneleven twelve\n";
    for (std::size_t width = 12; width < 40; ++width) {
        auto const broken = wrapped(text, width, 2);
        EXPECT_LE(widest(broken), std::max<std::size_t>(width, 25));
        EXPECT_EQ(without_spaces(broken), without_spaces(text));
    }
    EXPECT_EQ(wrapped(text, 0), text);
    EXPECT_EQ(wrapped(text, 100), text);
    EXPECT_EQ(wrapped("aa bb cc\n", 5, 1), "aa bb\n cc\n");
}

TEST(TextTable, breaks_remarks_beside_their_names_or_below_them) {
    TextTable table({"name", "remark"});
    table.add({"a", "this is a remark that goes on for quite a while until it ends"});
    table.add({"bcd", "short"});
    EXPECT_EQ(table.text(40),
              "name  remark\n"
              "a     this is a remark that goes on for\n"
              "      quite a while until it ends\n"
              "bcd   short\n");
    EXPECT_EQ(table.text(0), table.text(200));
    TextTable wide({"name", "another column of names", "remark"});
    wide.add({"a", "x", "this is a remark that goes on for quite a while until it ends"});
    EXPECT_LE(widest(wide.text(44)), 44U);
}

TEST(TextTable, of_many_columns_comes_in_parts_that_repeat_the_first_one) {
    TextTable table({"point", "latency", "energy", "area"});
    table.add({"12", "1.5 ms", "2 J", "3 mm2"});
    EXPECT_EQ(table.text(24),
              "point  latency  energy\n"
              "   12   1.5 ms     2 J\n"
              "\n"
              "point   area\n"
              "   12  3 mm2\n");
}

}  // namespace
}  // namespace pimdse::dse::cli::text_table_test
