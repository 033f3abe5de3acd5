#include "models/contract/parameter_text.hpp"
#include "models/contract/architecture.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::models::parameter_text_test {
namespace {

using ::testing::HasSubstr;

std::string refusal(Parameter parameter, std::string const& text) {
    return refusal_by([&] { (void)read_value(parameter, text); });
}

Parameter bytes() {
    return {.name = "dma_block", .kind = Kind::integer, .unit = "B", .default_value = Value::integer(1024)};
}
Parameter interval() {
    return {.name = "interval",
            .kind = Kind::quantity,
            .unit = "ns",
            .default_value = Value::quantity(4e-9),
            .lower = 1e-9,
            .upper = 8e-9};
}

TEST(ReadValue, takes_counts_bare_or_with_a_unit) {
    auto parameter = bytes();
    EXPECT_EQ(read_value(parameter, "2048").as_integer(), 2048);
    EXPECT_EQ(read_value(parameter, "2 KiB").as_integer(), 2048);
    EXPECT_THAT(refusal(parameter, "4 ns"), HasSubstr("time"));
    EXPECT_THAT(refusal(parameter, "0.5"), HasSubstr("dma_block"));
}

TEST(ReadValue, takes_a_count_of_bytes_however_it_is_written) {
    auto parameter = bytes();
    for (auto const* text : {"2048.0", "2.048e3", "2048.00 B"})
        EXPECT_EQ(read_value(parameter, text).as_integer(), 2048) << text;
    EXPECT_THAT(refusal(parameter, "2048.5"), HasSubstr("whole number"));
}

TEST(ReadValue, takes_bits_for_bytes_as_an_eighth) {
    auto parameter = bytes();
    EXPECT_EQ(read_value(parameter, "8 Kib").as_integer(), 1024);
    EXPECT_EQ(read_value(parameter, "8 kb").as_integer(), 1000);
    Parameter bandwidth{.name = "link", .kind = Kind::quantity, .unit = "GB/s", .default_value = Value::quantity(1e9)};
    EXPECT_DOUBLE_EQ(read_value(bandwidth, "100 Mb/s").as_quantity(), 12.5e6);
    EXPECT_THAT(refusal(bandwidth, "450 mB/s"), HasSubstr("Did you mean 'MB'?"));
}

TEST(ReadValue, says_what_a_plain_number_is_not) {
    Parameter const tasklets{
        .name = "tasklets", .kind = Kind::integer, .unit = "1", .default_value = Value::integer(1)};
    EXPECT_EQ(refusal(tasklets, "2.5"), "tasklets = \"2.5\" is not a whole number (the parameter is a count)");
    EXPECT_EQ(refusal(tasklets, "3 GiB"), "tasklets = \"3 GiB\" is data (it must be a plain number)");
    EXPECT_EQ(refusal(tasklets, "4,8"),
              "tasklets = 4,8 is more than one value (one value is needed here). Write a list, [4,8]?");
    EXPECT_THAT(refusal(interval(), "1 ns, 2 ns"), says("more-one-value"));
}

TEST(ReadValue, takes_whole_numbers_however_they_are_written) {
    Parameter tokens{.name = "input",
                     .kind = Kind::integer,
                     .unit = "tokens",
                     .default_value = Value::integer(1),
                     .lower = 1,
                     .upper = 1024};
    for (auto const* text : {"256", "256.0", "2.56e2", "256 tokens", "256.00 tokens"})
        EXPECT_EQ(read_value(tokens, text).as_integer(), 256) << text;
    EXPECT_THAT(refusal(tokens, "2.5"), says("whole-number-tokens"));
    EXPECT_THAT(refusal(tokens, "1e300"), HasSubstr("1..1024"));
    EXPECT_THAT(accepted_text(interval()), says("time-ns-ns"));
}

TEST(ReadValue, says_what_several_values_are) {
    Parameter const count{.name = "n", .kind = Kind::integer, .default_value = Value::integer(1)};
    EXPECT_THAT(refusal(count, "[1,2]"), HasSubstr("a list"));
    EXPECT_THAT(refusal(count, "{from=1,to=2}"), HasSubstr("a range"));
    EXPECT_THAT(refusal(count, "1,m=2"), says("also-gives-one-name"));
    EXPECT_THAT(refusal(count, "128,256"), says("more-one-value-2"));
    EXPECT_THAT(refusal(count, "1,024"), HasSubstr("Write \"1024\"?"));
    EXPECT_THAT(refusal(interval(), "1,024 ns"), HasSubstr("Write \"1024 ns\"?"));
    EXPECT_THAT(refusal(bytes(), "1,5 KiB"), HasSubstr("decimal comma"));
    EXPECT_THAT(refusal(interval(), "2,5 ns"), HasSubstr("Write \"2.5 ns\"?"));
    Parameter const mode{
        .name = "mode", .kind = Kind::choice, .default_value = Value::choice(0), .choices = {"a", "b"}};
    EXPECT_THAT(refusal(mode, "a,b"), HasSubstr("Write a list, [a,b]?"));
    EXPECT_THAT(refusal(mode, "c"), HasSubstr("unknown mode 'c'"));
    auto one = count;
    EXPECT_THAT(refusal_by([&] { (void)read_value(one, "[1,2]", Takes::one_value); }),
                HasSubstr("pimdse explore SPACE --set 'n=[1,2]'"));
}

TEST(ReadValue, requires_the_unit_of_a_quantity) {
    auto parameter = interval();
    EXPECT_DOUBLE_EQ(read_value(parameter, "2 ns").as_quantity(), 2e-9);
    EXPECT_THAT(refusal(parameter, "2"), HasSubstr("has no unit (it is a time). Write \"2 ns\"?"));
    EXPECT_THAT(refusal(parameter, "2e3"), HasSubstr("Write \"2e3 s\"?")) << "nanoseconds would be out of range, too";
    EXPECT_THAT(refusal(parameter, "2 GB"), HasSubstr("data"));
    EXPECT_THAT(refusal(parameter, "9 ns"), HasSubstr("out of range"));
}

TEST(ReadValue, lets_an_open_choice_decide_for_itself) {
    Parameter mapping{.name = "mapping",
                      .kind = Kind::choice,
                      .default_value = Value::choice(0),
                      .choices = {"umdam"},
                      .accepts = [](std::string const& text) {
                          return text.starts_with("of") ? std::string() : std::string("it has no offset");
                      }};
    EXPECT_EQ(read_value(mapping, "of5 ch2").as_choice(), 1U);
    EXPECT_EQ(mapping.choices[1], "of5 ch2");
    EXPECT_EQ(read_value(mapping, "of5 ch2").as_choice(), 1U);
    EXPECT_THAT(refusal(mapping, "ch2"), says("no-offset"));
}

TEST(ReadValue, says_in_one_sentence_what_is_not_built) {
    Parameter mode{.name = "mode",
                   .kind = Kind::choice,
                   .default_value = Value::choice(0),
                   .choices = {"a", "b"},
                   .not_built = {{"b", "it needs the network"}}};
    EXPECT_EQ(read_value(mode, "a").as_choice(), 0U);
    EXPECT_THAT(refusal(mode, "b"), says("built-yet-needs-network"));
}

TEST(PrintValue, is_the_inverse_of_reading) {
    auto parameter = interval();
    EXPECT_EQ(print_value(parameter, Value::quantity(2.5e-9)), "2.5 ns");
    EXPECT_EQ(read_value(parameter, print_value(parameter, Value::quantity(2.5e-9))), Value::quantity(2.5e-9));
}

TEST(Value, refuses_to_be_read_as_what_it_is_not) {
    EXPECT_THROW((void)Value::integer(3).as_quantity(), sim::ContractViolation);
    EXPECT_THROW((void)Value::quantity(3.0).as_integer(), sim::ContractViolation);
}

}  // namespace
}  // namespace pimdse::models::parameter_text_test
