#include "dse/space/axis_reader.hpp"
#include "models/contract/parameter_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <toml++/toml.h>

namespace pimdse::dse::space::axis_test {
namespace {

using models::Kind;
using models::Parameter;
using models::Value;
using ::testing::HasSubstr;

Parameter integer_parameter() { return {.name = "count", .kind = Kind::integer, .default_value = Value::integer(1)}; }
Parameter time_parameter() {
    return {.name = "interval", .kind = Kind::quantity, .unit = "ns", .default_value = Value::quantity(4e-9)};
}
Parameter order_parameter() {
    return {.name = "order",
            .kind = Kind::choice,
            .default_value = Value::choice(0),
            .choices = {"natural"},
            .items = {"row", "bank", "column"}};
}

struct Read {
    std::optional<space::Axis> axis;
    std::vector<std::string> mistakes;
};

Read read(Parameter parameter, std::string const& text) {
    Read result;
    auto const table = toml::parse("v = " + text);
    result.axis = read_axis(parameter, *table.get("v"), "here", result.mistakes);
    return result;
}

std::vector<std::int64_t> integers(Read const& read) {
    std::vector<std::int64_t> values;
    for (std::uint64_t i = 0; i < read.axis.value().size(); ++i) values.push_back(read.axis->at(i).as_integer());
    return values;
}

TEST(Axis, is_one_value_a_list_or_a_range) {
    EXPECT_EQ(integers(read(integer_parameter(), "7")), (std::vector<std::int64_t>{7}));
    EXPECT_EQ(integers(read(integer_parameter(), "[3, 1, 2]")), (std::vector<std::int64_t>{3, 1, 2}));
    EXPECT_EQ(integers(read(integer_parameter(), "{ from = 0, to = 3 }")), (std::vector<std::int64_t>{0, 1, 2, 3}));
    EXPECT_EQ(integers(read(integer_parameter(), "{ from = 1, to = 10, step = 4 }")),
              (std::vector<std::int64_t>{1, 5, 9}));
    EXPECT_EQ(integers(read(integer_parameter(), "{ from = 1, to = 64, times = 4 }")),
              (std::vector<std::int64_t>{1, 4, 16, 64}));
}

TEST(Axis, steps_quantities_in_their_units) {
    auto const steps = read(time_parameter(), R"({ from = "1 ns", to = "2 ns", step = "0.5 ns" })");
    ASSERT_TRUE(steps.axis);
    ASSERT_EQ(steps.axis->size(), 3U);
    EXPECT_DOUBLE_EQ(steps.axis->at(1).as_quantity(), 1.5e-9);
    EXPECT_EQ(read(time_parameter(), R"({ from = "1 ns", to = "8 ns", times = 2 })").axis.value().size(), 4U);
}

TEST(Axis, has_all_orderings_of_a_permutation_without_storing_them) {
    auto const orders = read(order_parameter(), R"({ permute = ["bank", "row", "column"] })");
    ASSERT_TRUE(orders.axis);
    EXPECT_EQ(orders.axis->size(), 6U);
    EXPECT_EQ(orders.axis->at(5).as_permutation(), 5U);
    EXPECT_EQ(orders.axis->find(Value::permutation(4)), 4U);
}

TEST(Axis, refuses_what_is_no_permutation) {
    auto const twice = read(order_parameter(), R"({ permute = ["bank", "bank", "column"] })");
    EXPECT_FALSE(twice.axis);
    ASSERT_EQ(twice.mistakes.size(), 1U);
    EXPECT_THAT(twice.mistakes[0], HasSubstr("not a permutation"));
}

TEST(Axis, refuses_ranges_that_go_nowhere) {
    EXPECT_FALSE(read(integer_parameter(), "{ from = 4, to = 1 }").axis);
    EXPECT_FALSE(read(integer_parameter(), "{ from = 1, to = 4, step = 0 }").axis);
    EXPECT_FALSE(read(integer_parameter(), "{ from = 0, to = 4, times = 2 }").axis);
    EXPECT_FALSE(read(integer_parameter(), "{ from = 1, to = 4, stop = 2 }").axis);
    EXPECT_FALSE(read(time_parameter(), R"({ from = "1 ns", to = "4 ns" })").axis);
}

TEST(Axis, never_goes_beyond_the_end_of_a_range) {
    // The tolerance was relative to the numbers, not to the step: six values instead of two.
    EXPECT_EQ(integers(read(integer_parameter(), "{ from = 4294967295, to = 4294967296 }")),
              (std::vector<std::int64_t>{4294967295, 4294967296}));
    EXPECT_EQ(integers(read(integer_parameter(), "{ from = 9007199254740992, to = 9007199254740995, step = 2 }")),
              (std::vector<std::int64_t>{9007199254740992, 9007199254740994}));
    EXPECT_EQ(integers(read(integer_parameter(),
                            "{ from = -9223372036854775807, to = 9223372036854775807, step = 9223372036854775807 }")),
              (std::vector<std::int64_t>{-9223372036854775807, 0, 9223372036854775807}));
    EXPECT_EQ(integers(read(integer_parameter(), "{ from = 1000000000, to = 1000000001, times = 1.000000001 }")),
              (std::vector<std::int64_t>{1000000000, 1000000001}));
    auto const tenths = read(time_parameter(), R"({ from = "0.1 ns", to = "0.3 ns", step = "0.1 ns" })");
    ASSERT_EQ(tenths.axis.value().size(), 3U);
    EXPECT_LE(tenths.axis->at(2).as_quantity(), 0.3e-9);
}

TEST(Axis, refuses_steps_that_no_number_shows) {
    EXPECT_FALSE(read(time_parameter(), R"({ from = "1e9 ns", to = "1000000001 ns", step = "1e-9 ns" })").axis);
    EXPECT_FALSE(read(time_parameter(), R"({ from = "1 ns", to = "8 ns", times = inf })").axis);
    EXPECT_FALSE(read(time_parameter(), R"({ from = "1 ns", to = "8 ns", times = nan })").axis);
    EXPECT_FALSE(read(time_parameter(), R"({ from = "1 ns", to = "8 ns", times = "2" })").axis);
    EXPECT_FALSE(read(integer_parameter(), "{ from = 1, to = 1e308 }").axis);
    EXPECT_FALSE(read(integer_parameter(), "{ from = 0, to = 1000000 }").axis);
    EXPECT_EQ(read(integer_parameter(), "{ from = 1, to = 1000000 }").axis.value().size(), 1'000'000U);
}

TEST(Axis, puts_every_mistake_of_a_list_into_a_sentence_of_its_own) {
    EXPECT_EQ(read(integer_parameter(), R"(["4 ns", "x", 1, 1])").mistakes.size(), 3U);
}

TEST(Permutation, counts_orderings_in_lexicographic_order) {
    std::vector<std::string> const items{"a", "b", "c"};
    EXPECT_EQ(models::permutation(items, 0), (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(models::permutation(items, 3), (std::vector<std::string>{"b", "c", "a"}));
    EXPECT_EQ(models::permutation(items, 5), (std::vector<std::string>{"c", "b", "a"}));
}

}  // namespace
}  // namespace pimdse::dse::space::axis_test
