#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>
#include "sim/base/csv_rows.hpp"

namespace pimdse::sim::csv_test {
namespace {

using Cells = std::vector<std::string>;

std::string line_of(Cells const& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + csv_cell(cells[i]);
    return line;
}

TEST(Csv, gives_back_every_cell_it_was_given) {
    std::mt19937_64 random(11);
    constexpr std::string_view letters = "ab,\"\r \xC3\xA9'";
    for (int round = 0; round < 3000; ++round) {
        Cells cells(1 + random() % 5);
        for (auto& cell : cells) {
            for (auto length = random() % 6; length > 0; --length) cell += letters[random() % letters.size()];
        }
        EXPECT_EQ(csv_cells(line_of(cells)), cells) << line_of(cells);
        EXPECT_EQ(csv_cells(line_of(cells) + '\r'), cells) << line_of(cells);
    }
}

TEST(Csv, leaves_cells_alone_that_need_no_quotes) {
    for (std::string const plain : {"", "a b", "x;y", "it's", "-1.5e9", "\xC3\xA9"}) EXPECT_EQ(csv_cell(plain), plain);
    EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
    EXPECT_EQ(csv_cell("say \"no\""), "\"say \"\"no\"\"\"");
    EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
}

TEST(Csv, has_a_cell_more_than_there_are_commas) {
    EXPECT_EQ(csv_cells(""), Cells{""});
    EXPECT_EQ(csv_cells(","), (Cells{"", ""}));
    EXPECT_EQ(csv_cells("a,,\r"), (Cells{"a", "", ""}));
    EXPECT_EQ(csv_cells("\"a,b\",c"), (Cells{"a,b", "c"}));
    EXPECT_EQ(csv_cells("\"\",\"\""), (Cells{"", ""}));
}

}  // namespace
}  // namespace pimdse::sim::csv_test
