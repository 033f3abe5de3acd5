#include "sim/serving/traffic_reader.hpp"

#include "sim/base/check.hpp"
#include "tests/unit/says.hpp"
#include "tests/unit/sim/serving/written_table.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::sim::serving::test::traffic_reader_test {
namespace {

constexpr auto all = std::numeric_limits<std::size_t>::max();
std::string const head = "arrival_s,input_tokens,output_tokens\n";

std::string refusal(std::string const& text) {
    WrittenTable const table(text);
    try {
        (void)read_traffic(table.path(), all);
    } catch (InputError const& error) {
        return error.what();
    }
    return "";
}

TEST(TrafficReader, reads_arrivals_and_lengths) {
    WrittenTable const table(head + "0,374,44\n0.5,396,109\n0.5,1,1\n");
    auto const found = read_traffic(table.path(), all);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[1].arrival, 0.5);
    EXPECT_EQ(found[1].input, 396);
    EXPECT_EQ(found[2].output, 1);
    EXPECT_EQ(read_traffic(table.path(), 2).size(), 2U);
}

TEST(TrafficReader, takes_columns_by_name_and_what_editors_write) {
    WrittenTable const table(
        "\xEF\xBB\xBFnote,output_tokens, input_tokens ,arrival_s\r\n\"a, b\",7, 3e2 ,1.5e0\r\n\r\n");
    auto const found = read_traffic(table.path(), all);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].arrival, 1.5);
    EXPECT_EQ(found[0].input, 300);
    EXPECT_EQ(found[0].output, 7);
}

TEST(TrafficReader, names_what_is_wrong_with_file_and_line) {
    EXPECT_THAT(refusal(head + "1,10,10\n0.5,10,10\n"), says("unordered"));
    EXPECT_THAT(refusal(head + "-1,10,10\n"), says("negative"));
    EXPECT_THAT(refusal(head + "0,10,10\nnan,10,10\n"), says("not-finite"));
    EXPECT_THAT(refusal(head + "0,inf,10\n"), says("infinite-tokens"));
    EXPECT_THAT(refusal(head + "0,0,10\n"), says("zero-tokens"));
    EXPECT_THAT(refusal(head + "0,10,1.5\n"), says("half-a-token"));
    EXPECT_THAT(refusal(head + "0,10,1e300\n"), says("endless"));
    EXPECT_THAT(refusal(head + "0,ten,10\n"), says("word"));
    EXPECT_THAT(refusal(head + "0,10\n"), says("short-row"));
    EXPECT_THAT(refusal(head + "0,,10\n"), says("empty-cell"));
    EXPECT_THAT(refusal(head), says("no-requests"));
    EXPECT_THAT(refusal(""), says("empty"));
    EXPECT_THAT(refusal("arrival,input_tokens,output_tokens\n0,1,1\n"), says("missing-column"));
    EXPECT_THAT(refusal("0,1,1\n"), says("no-head"));
    EXPECT_THAT(refusal("arrival_s,arrival_s,input_tokens,output_tokens\n0,0,1,1\n"), says("column-twice"));
    EXPECT_THAT(refusal("arrival_s;input_tokens;output_tokens\n\"0,5\";1;1\n"), says("semicolons"));
}

TEST(TrafficReader, cannot_read_what_is_not_there) {
    EXPECT_THROW((void)read_traffic("/nowhere/trace.csv", all), InputError);
    EXPECT_THROW((void)read_traffic("/", all), InputError);
}

/// Lines after the wanted ones are not read, so a trace may be longer than the memory.
TEST(TrafficReader, reads_no_further_than_asked) {
    WrittenTable const table(head + "0,10,10\n1,10,10\nnonsense\n");
    EXPECT_EQ(read_traffic(table.path(), 2).size(), 2U);
    EXPECT_THROW((void)read_traffic(table.path(), 3), InputError);
}

}  // namespace
}  // namespace pimdse::sim::serving::test::traffic_reader_test
