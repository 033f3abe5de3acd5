#include "models/expression/expression_parser.hpp"
#include "tests/unit/refused.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

/// Expressions of machine files: functions, numbers with names, dimensions, and what is said of mistakes.
namespace pimdse::models::machine_expressions_test {
namespace {

using ::testing::HasSubstr;

Parameters const parameters{
    {.name = "rows", .kind = Kind::integer, .default_value = Value::integer(4)},
    {.name = "delay", .kind = Kind::quantity, .unit = "ns", .default_value = Value::quantity(4e-9)},
    {.name = "mode", .kind = Kind::choice, .default_value = Value::choice(1), .choices = {"slow", "fast"}},
    {.name = "gated", .kind = Kind::flag, .default_value = Value::flag(true)},
};
MetricList const no_metrics;
std::vector<NamedNumber> const names{{"lanes", {}},
                                     {"hbm.bandwidth", {.second = -1, .byte = 1}},
                                     {"hbm.energy.sram", {.joule = 1, .byte = -1}},
                                     {"nothing", {}}};
std::vector<double> const numbers{16.0, 2e12, 3e-12, std::numeric_limits<double>::quiet_NaN()};
Vocabulary const lane_vocabulary{parameters, no_metrics, names};

double value(std::string const& text) {
    return parse_arithmetic(text, lane_vocabulary).expression.number(default_point(parameters), {}, numbers);
}

sim::Dimension dimension(std::string const& text) { return parse_arithmetic(text, lane_vocabulary).dimension; }

std::string refusal(std::string const& text) {
    return refusal_by([&] { (void)parse_arithmetic(text, lane_vocabulary); });
}

TEST(MachineExpression, has_functions_of_numbers) {
    EXPECT_EQ(value("min(rows, lanes)"), 4.0);
    EXPECT_EQ(value("max(rows, lanes)"), 16.0);
    EXPECT_EQ(value("ceil(rows / 3)"), 2.0);
    EXPECT_EQ(value("floor(rows / 3)"), 1.0);
    EXPECT_EQ(value("ceil(-rows / 3)"), -1.0);
    EXPECT_EQ(value("floor(-rows / 3)"), -2.0);
    EXPECT_EQ(value("min(max(rows, 5), 7) * 2 + 1"), 11.0);
    EXPECT_EQ(value("max ( rows , 1 )"), 4.0);
    EXPECT_EQ(value("-min(-rows,rows)"), 4.0);
}

TEST(MachineExpression, chooses_by_conditions) {
    EXPECT_EQ(value("if(rows > 3, 10, 20)"), 10.0);
    EXPECT_EQ(value("if(rows > 4, 10, 20)"), 20.0);
    EXPECT_EQ(value("if(mode == slow, 1, if(mode == \"fast\", 2, 3))"), 2.0);
    EXPECT_EQ(value("if(gated, 1, 2)"), 1.0);
    EXPECT_EQ(value("if(not gated or rows < 2 and lanes == 16, 1, 2)"), 2.0);
    EXPECT_EQ(value("if(delay >= 4 ns, lanes, rows)"), 16.0);
}

/// The side that is not chosen may be undefined; an unknown condition makes the whole unknown.
TEST(MachineExpression, is_unknown_where_what_it_needs_is) {
    EXPECT_EQ(value("if(rows > 3, 10, 0/0)"), 10.0);
    EXPECT_TRUE(std::isnan(value("if(rows < 3, 10, 0/0)")));
    EXPECT_TRUE(std::isnan(value("if(nothing > 3, 10, 10)")));
    EXPECT_EQ(value("if(nothing > 3 or rows == 4, 10, 20)"), 10.0);
    EXPECT_TRUE(std::isnan(value("min(nothing, 1)")));
    EXPECT_TRUE(std::isnan(value("min(1, nothing)")));
    EXPECT_TRUE(std::isnan(value("max(nothing, 1)")));
    EXPECT_TRUE(std::isnan(value("max(1, 0/0)")));
    EXPECT_TRUE(std::isnan(value("ceil(nothing)")));
    EXPECT_EQ(value("1 / 0"), std::numeric_limits<double>::infinity());
}

TEST(MachineExpression, reads_numbers_by_their_whole_names) {
    EXPECT_EQ(value("hbm.bandwidth / 2"), 1e12);
    EXPECT_EQ(value("hbm.energy.sram * hbm.bandwidth"), 6.0);
    auto const expression = parse_arithmetic("lanes * 2 + rows", lane_vocabulary).expression;
    EXPECT_TRUE(expression.reads_number(0));
    EXPECT_FALSE(expression.reads_number(1));
    EXPECT_TRUE(expression.reads_parameter(0));
    EXPECT_FALSE(expression.reads_parameter(1));
}

TEST(MachineExpression, has_the_dimension_of_its_parts) {
    sim::Dimension const bytes{.byte = 1}, watts{.second = -1, .joule = 1};
    EXPECT_EQ(dimension("hbm.bandwidth * delay"), bytes);
    EXPECT_EQ(dimension("hbm.bandwidth * hbm.energy.sram"), watts);
    EXPECT_EQ(dimension("min(delay, 3 us)"), (sim::Dimension{.second = 1}));
    EXPECT_EQ(dimension("max(0, delay)"), (sim::Dimension{.second = 1}));
    EXPECT_EQ(dimension("max(delay, 0)"), (sim::Dimension{.second = 1}));
    EXPECT_EQ(dimension("if(gated, 0, 16 GiB)"), bytes);
    EXPECT_EQ(dimension("if(gated, 16 GiB, 0)"), bytes);
    EXPECT_EQ(dimension("0 + delay"), (sim::Dimension{.second = 1}));
    EXPECT_TRUE(dimension("delay / 1 ns").is_number());
}

/// A condition on numbers with names, as limits and rules of machine files have them.
TEST(MachineExpression, may_be_a_condition_on_numbers_with_names) {
    auto const truth = [](std::string const& text) {
        return parse_condition(text, lane_vocabulary).truth(default_point(parameters), {}, {}, numbers);
    };
    EXPECT_EQ(truth("lanes == floor(lanes) and lanes >= 1"), Truth::yes);
    EXPECT_EQ(truth("hbm.bandwidth > 2.1 TB/s"), Truth::no);
    EXPECT_EQ(truth("nothing == 1"), Truth::unknown);
    EXPECT_EQ(truth("min(rows, lanes) == rows"), Truth::yes);
}

TEST(MachineExpression, says_what_is_wrong_and_what_may_be_meant) {
    for (auto const& [text, said] : std::vector<std::pair<std::string, std::string>>{
             {"", "it ends too early"},
             {"min(rows, 1", "a ')' is missing"},
             {"min(rows)", "min() takes 2 arguments, not 1"},
             {"min(rows, 1, 2)", "min() takes 2 arguments, not 3"},
             {"ceil(rows, 1)", "ceil() takes 1 argument, not 2"},
             {"if(gated, 1)", "if() takes 3 arguments, not 2"},
             {"if(rows, 1, 2)", "must be conditions"},
             {"if(gated, gated, 2)", "only numbers can be results of if()"},
             {"if(gated, 1, delay)", "units differ"},
             {"min(delay, 1)", "units differ"},
             {"min(gated, 1)", "only numbers"},
             {"ceil(delay)", "ceil() rounds plain numbers, not a time"},
             {"floor(gated)", "only numbers can be rounded"},
             {"cell(rows / 2)", "there is no function cell(). Did you mean 'ceil'?"},
             {"sqrt(rows)", "there is no function sqrt(). Known: min, max, ceil, floor, if."},
             {"lane * 2", "'lane' is neither a parameter nor a constant. Did you mean 'lanes'?"},
             {"bandwidth * 2", "Did you mean 'hbm.bandwidth'?"},
             {"hbm.bandwith", "Did you mean 'hbm.bandwidth'?"},
             {"rows < 4", "it is a condition, not a number"},
             {"mode", "it is a condition, not a number"},
             {"delay + rows", "units differ"},
             {"1,5 * rows", "Write \"1.5\"?"},
             {"rows \u2264 4", "Write '<='?"},
             {"rows rows", "'rows' is not understood here"},
             {"rows * ", "it ends too early"},
             {"3 nss", "nss"},
             {"hbm.bandwidth.upper", "is neither"}}) {
        EXPECT_THAT(refusal(text), HasSubstr(said)) << text;
        EXPECT_THAT(refusal(text), HasSubstr("expression \"")) << text;
    }
}

TEST(MachineExpression, is_refused_where_it_is_nested_too_deeply) {
    std::string deep = "rows";
    for (int i = 0; i < 200; ++i) deep = "min(" + deep + ", 1)";
    EXPECT_THAT(refusal(deep), HasSubstr("nested too deeply"));
    std::string wide = "rows";
    for (int i = 0; i < 70; ++i) wide = "max(1, " + wide + ")";
    EXPECT_THAT(refusal(wide), HasSubstr("nested too deeply"));
    EXPECT_THAT(refusal(std::string(70'000, ' ') + "1"), HasSubstr("longer than"));
}

}  // namespace
}  // namespace pimdse::models::machine_expressions_test
