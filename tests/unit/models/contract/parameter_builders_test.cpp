#include "models/contract/parameter_table.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::models::parameter_builders_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ParameterBuilders, make_a_count_whose_limits_are_in_its_unit) {
    auto dma_block = count("dma_block", "B", 1024, {8, 2048}, "bytes of a transfer");
    EXPECT_EQ(dma_block.name, "dma_block");
    EXPECT_EQ(dma_block.kind, Kind::integer);
    EXPECT_EQ(dma_block.unit, "B");
    EXPECT_EQ(dma_block.default_value, Value::integer(1024));
    EXPECT_EQ(dma_block.meaning, "bytes of a transfer");
    EXPECT_FALSE(dma_block.assumed);
    EXPECT_EQ(read_value(dma_block, "2048"), Value::integer(2048));
    EXPECT_THROW((void)read_value(dma_block, "2049"), sim::InputError);
    EXPECT_THROW((void)read_value(dma_block, "7"), sim::InputError);
}

TEST(ParameterBuilders, make_a_quantity_whose_default_and_limits_are_in_si) {
    auto interval = quantity("interval", "ns", 4e-9, {1e-9, 8e-9}, "time between two bursts");
    EXPECT_EQ(interval.kind, Kind::quantity);
    EXPECT_EQ(print_value(interval, interval.default_value), "4 ns");
    EXPECT_EQ(read_value(interval, "8 ns"), Value::quantity(8e-9));
    EXPECT_THROW((void)read_value(interval, "9 ns"), sim::InputError);
}

TEST(ParameterBuilders, leave_an_unlimited_number_to_the_rules_of_the_design) {
    auto tasklets = count("tasklets", "", 16, unlimited, "hardware threads");
    EXPECT_EQ(read_value(tasklets, "-3"), Value::integer(-3));
    EXPECT_EQ(read_value(tasklets, "1000000"), Value::integer(1000000));
}

TEST(ParameterBuilders, take_the_first_choice_unless_another_is_named) {
    auto const first = choice("lock", {"none", "exclusive"}, "who may write");
    EXPECT_EQ(first.kind, Kind::choice);
    EXPECT_THAT(first.choices, ElementsAre("none", "exclusive"));
    EXPECT_EQ(print_value(first, first.default_value), "none");
    auto const named = choice("lock", {"none", "exclusive"}, "exclusive", "who may write");
    EXPECT_EQ(print_value(named, named.default_value), "exclusive");
    EXPECT_EQ(named.meaning, "who may write");
}

TEST(ParameterBuilders, refuse_a_default_that_the_table_itself_would_not_accept) {
    EXPECT_THROW((void)choice("lock", {"none"}, "all", ""), sim::ContractViolation);
    EXPECT_THROW((void)choice("lock", {}, ""), sim::ContractViolation);
    EXPECT_THROW((void)count("vlen", "elements", 0, {1, 65536}, ""), sim::ContractViolation);
    EXPECT_THROW((void)quantity("frequency", "GHz", 11e9, {1e6, 10e9}, ""), sim::ContractViolation);
}

TEST(ParameterBuilders, add_a_name_or_a_doubt_without_changing_the_rest) {
    auto const plain = flag("double_buffer", true, "filled while the other half is used");
    EXPECT_EQ(plain.default_value, Value::flag(true));
    EXPECT_THAT(plain.aliases, IsEmpty());
    auto const doubted = assumed(also_called(plain, "ping_pong"));
    EXPECT_TRUE(doubted.assumed);
    EXPECT_THAT(doubted.aliases, ElementsAre("ping_pong"));
    EXPECT_EQ(doubted.name, plain.name);
    EXPECT_EQ(doubted.default_value, plain.default_value);
}

}  // namespace
}  // namespace pimdse::models::parameter_builders_test
