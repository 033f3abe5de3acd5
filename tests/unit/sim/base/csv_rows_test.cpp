#include "sim/base/csv_rows.hpp"

#include "tests/unit/refused.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <functional>
#include <string>

namespace pimdse::sim::csv_rows_test {
namespace {

using ::testing::ElementsAre;

std::string error_of(std::function<void()> const& read) { return refusal_by(read); }

TEST(CsvRows, find_columns_by_name_and_skip_comments_and_empty_lines) {
    CsvRows rows("\xEF\xBB\xBF# measured in June\n\n b , a,\"c, d\"\r\n1,x,\"2\"\r\n  # a break\n\n3, \"y, z\" ,4\n",
                 "t.csv", {"a", "c, d", "b"});
    EXPECT_EQ(rows.line(), 3);
    EXPECT_THAT(*rows.next(), ElementsAre("x", "2", "1"));
    EXPECT_EQ(rows.line(), 4);
    EXPECT_THAT(*rows.next(), ElementsAre("y, z", "4", "3"));
    EXPECT_EQ(rows.line(), 7);
    EXPECT_EQ(rows.next(), std::nullopt);
    EXPECT_EQ(rows.name_of(1), "c, d");
}

TEST(CsvRows, may_have_tabs_or_semicolons_between_cells) {
    CsvRows tabs("a\tb\tc\n1\t\"x\ty, z\"\t3\n", "t.tsv", {"c", "b"});
    EXPECT_THAT(*tabs.next(), ElementsAre("3", "x\ty, z"));
    CsvRows semicolons("a; b\n1,5;\"2;3\"\n4;5\n", "t.csv", {"b", "a"});
    EXPECT_THAT(*semicolons.next(), ElementsAre("2;3", "1,5"));
    EXPECT_THAT(*semicolons.next(), ElementsAre("5", "4"));
}

TEST(CsvRows, say_the_line_of_a_mistake_and_go_on_after_it) {
    CsvRows rows("a,b\n1\n2,x\n3,4\n", "t.csv", {"a", "b"});
    EXPECT_EQ(error_of([&] { (void)rows.next(); }), "t.csv:2: b is missing (cells: 1)");
    auto const cells = rows.next();
    EXPECT_EQ(error_of([&] { (void)rows.number((*cells)[1], 1); }), "t.csv:3: b = 'x' is not a number");
    EXPECT_EQ(error_of([&] { (void)rows.number("nan", 0); }), "t.csv:3: a = nan is not finite");
    EXPECT_THAT(*rows.next(), ElementsAre("3", "4"));
    CsvRows longer("a,b\n1,2,\n1,2,3\n1,2,,3\n5,6\n", "t.csv", {"a", "b"});
    EXPECT_THAT(*longer.next(), ElementsAre("1", "2"));
    EXPECT_EQ(error_of([&] { (void)longer.next(); }),
              "t.csv:3: the line has 3 cells, and the table 2 columns. Write lists and numbers with commas in quotes?");
    EXPECT_NE(error_of([&] { (void)longer.next(); }).find("t.csv:4: the line has 4 cells"), std::string::npos);
    EXPECT_THAT(*longer.next(), ElementsAre("5", "6"));
}

TEST(CsvRows, refuse_a_text_without_its_columns) {
    auto const error = [](std::string const& text) {
        return error_of([&] { CsvRows const rows(text, "t.csv", {"a", "b"}); });
    };
    EXPECT_EQ(error("# nothing\n\n"), "t.csv: the file is empty (its first line names the columns)");
    EXPECT_EQ(error("a,c\n"), "t.csv:1: column b is missing (the first line has a, c)");
    EXPECT_EQ(error("a,b,a\n"), "t.csv:1: column a occurs twice");
    EXPECT_EQ(error("a;c\n"), "t.csv:1: column b is missing (the first line has a, c)");
    EXPECT_EQ(error_of([] { CsvRows const rows(std::filesystem::path("/no/t.csv"), {"a"}); }),
              "/no/t.csv: cannot be read (no such file, or no permission)");
}

}  // namespace
}  // namespace pimdse::sim::csv_rows_test
