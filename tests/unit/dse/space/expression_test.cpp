#include "models/expression/expression.hpp"
#include "dse/space/expression_bounds.hpp"
#include "models/expression/expression_parser.hpp"
#include "refusal.hpp"
#include "sim/base/random.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <map>

namespace pimdse::dse::space::expression_test {
namespace {

using models::Estimate;
using models::Kind;
using models::Value;
using ::testing::HasSubstr;

models::Parameters const parameters{
    {.name = "channels", .kind = Kind::integer, .default_value = Value::integer(4)},
    {.name = "block", .kind = Kind::integer, .unit = "B", .default_value = Value::integer(1024)},
    {.name = "interval", .kind = Kind::quantity, .unit = "ns", .default_value = Value::quantity(4e-9)},
    {.name = "baseline", .kind = Kind::choice, .default_value = Value::choice(1), .choices = {"umdam", "relayout"}},
    {.name = "double_buffer", .kind = Kind::flag, .default_value = Value::flag(true)},
};
models::MetricList const metrics{{.name = "latency", .unit = "s"},
                                 {.name = "footprint", .unit = "B"},
                                 {.name = "power", .unit = "W"},
                                 {.name = "energy", .unit = "J"}};
std::vector<Estimate> const result{Estimate::exact(0.5), Estimate::exact(8.0 * 1024 * 1024 * 1024),
                                   Estimate::exact(4.0), Estimate::exact(2.0)};

bool holds(std::string const& text) {
    return models::parse_condition(text, {parameters, metrics}).holds(models::default_point(parameters), result);
}

std::string refusal(std::string const& text) { return refusal_of(text, {parameters, metrics}); }

TEST(Expression, compares_numbers_with_units) {
    EXPECT_TRUE(holds("footprint <= 8 GiB"));
    EXPECT_FALSE(holds("footprint < 8 GiB"));
    EXPECT_TRUE(holds("interval == 4 ns"));
    EXPECT_TRUE(holds("footprint / latency > 10 GB/s"));
    EXPECT_TRUE(holds("block >= 1 KiB"));
    EXPECT_TRUE(holds("1 / latency == 2 1/s and 1/latency > 1 Hz and 2 1/s == 2 Hz"));
    EXPECT_TRUE(holds("1 / energy == 0.5 1/J and 3 1/ms == 3 kHz"));
    EXPECT_TRUE(holds("8/channels == 2"));
}

TEST(Expression, reads_the_ends_of_an_interval) {
    auto const point = models::default_point(parameters);
    auto const latency = [&](sim::BoundKinds kinds) {
        return std::vector<Estimate>{Estimate::within(0.5, 0.25, 0.75, kinds), Estimate::exact(1.0),
                                     Estimate::exact(1.0), Estimate::exact(1.0)};
    };
    auto const truth = [&](std::string const& text, sim::BoundKinds kinds) {
        return models::parse_condition(text, {parameters, metrics}).truth(point, latency(kinds));
    };
    using models::Bound;
    EXPECT_EQ(truth("latency.upper <= 750 ms and latency.lower >= 250 ms", Bound::proved), models::Truth::yes);
    EXPECT_EQ(truth("latency.upper <= 749 ms", Bound::calibrated), models::Truth::no);
    EXPECT_EQ(truth("latency.upper <= 1 s", {Bound::proved, Bound::none}), models::Truth::unknown);
    EXPECT_EQ(truth("latency.lower <= 1 s", {Bound::proved, Bound::none}), models::Truth::yes);
    EXPECT_THAT(refusal("latency.uper < 1 s"), says("neither-parameter-nor-metric"));
    EXPECT_THAT(refusal("channels.upper < 1"), HasSubstr("is neither"));
    EXPECT_THAT(refusal("latency.upper < 1 W"), HasSubstr("units differ"));
}

/// The ends of a finer interval may be anywhere beyond the finer estimate: that alone decides what surely fails.
TEST(Expression, prunes_by_ends_of_intervals_only_what_no_finer_interval_meets) {
    auto const point = models::default_point(parameters);
    std::vector<Estimate> const coarse{Estimate::within(0.5, 0.25, 0.75, models::Bound::proved), Estimate::exact(1.0),
                                       Estimate::exact(1.0), Estimate::exact(1.0)};
    auto const fails = [&](std::string const& text) {
        return surely_fails(models::parse_condition(text, {parameters, metrics}), point, coarse);
    };
    EXPECT_TRUE(fails("latency.upper <= 0.2 s"));
    EXPECT_FALSE(fails("latency.upper <= 0.3 s"));
    EXPECT_TRUE(fails("latency.lower >= 0.8 s"));
    EXPECT_FALSE(fails("latency.lower >= 0.7 s"));
    EXPECT_FALSE(fails("latency.upper >= 9 s"));  // a finer interval may be wider on that side
}

TEST(Expression, names_the_limit_that_an_interval_crosses) {
    auto const point = models::default_point(parameters);
    std::vector<Estimate> const around{Estimate::within(0.5, 0.25, 0.75, models::Bound::calibrated),
                                       Estimate::exact(1.0), Estimate::within(4.0, 3.0, 5.0, models::Bound::proved),
                                       Estimate::within(2.0, 2.0, 2.0, models::Bound::none)};
    auto const said = [&](std::string const& text) {
        std::string all;
        for (auto const& [comparison, end] :
             crossings(models::parse_condition(text, {parameters, metrics}), point, around))
            all += comparison + ": " + std::string(end) + "\n";
        return all;
    };
    EXPECT_EQ(said("power <= 4.5 W"), "power <= 4.5 W: upper bound\n");
    EXPECT_EQ(said("power <= 5 W"), "");
    EXPECT_EQ(said("power <= 2 W"), "");
    EXPECT_EQ(said("power <= 3.5 W"), "power <= 3.5 W: upper bound\n");
    EXPECT_EQ(said("4.5 W >= power"), "4.5 W >= power: upper bound\n");
    EXPECT_EQ(said("power >= 3.5 W"), "power >= 3.5 W: lower bound\n");
    EXPECT_EQ(said("power * latency <= 2 J"), "power * latency <= 2 J: upper bound\n");
    EXPECT_EQ(said("power * 1 s <= energy * 3"), "power * 1 s <= energy * 3: bounds\n");
    EXPECT_EQ(said("power.upper <= 4.5 W"), "");
    EXPECT_EQ(said("energy <= 3 J"), "energy <= 3 J: upper bound\n");  // nothing stands behind its interval
    EXPECT_EQ(said("( power  <=  4.5 W ) and latency <= 0.6 s"),
              "power  <=  4.5 W: upper bound\nlatency <= 0.6 s: upper bound\n");
    EXPECT_EQ(said("power <= 4.5 W or latency <= 1 s"), "");  // decided whatever power comes to
    EXPECT_EQ(said("channels == 4 and power <= 4.5 W"), "power <= 4.5 W: upper bound\n");
}

TEST(Expression, counts_a_metric_in_its_own_unit) {
    models::MetricList const bits{{.name = "precision", .unit = "bit"}, {.name = "busy", .unit = "%"}};
    std::vector<Estimate> const eight{Estimate::within(8.0, 4.0, 16.0, models::Bound::proved), Estimate::exact(30.0)};
    auto const point = models::default_point(parameters);
    for (auto const& [text, holds] : std::map<std::string, bool>{{"precision >= 8 bit", true},
                                                                 {"precision >= 9 bit", false},
                                                                 {"precision <= 1 B", true},
                                                                 {"precision < 8 bit", false},
                                                                 {"busy == 0.3", true},
                                                                 {"busy > 30 %", false}}) {
        auto const condition = models::parse_condition(text, {parameters, bits});
        EXPECT_EQ(condition.holds(point, eight), holds) << text;
        EXPECT_FALSE(holds && surely_fails(condition, point, eight)) << text;
    }
    EXPECT_TRUE(surely_fails(models::parse_condition("precision > 17 bit", {parameters, bits}), point, eight));
    EXPECT_FALSE(surely_fails(models::parse_condition("precision > 15 bit", {parameters, bits}), point, eight));
}

TEST(Expression, knows_precedence_and_parentheses) {
    EXPECT_TRUE(holds("1 + 2 * 3 == 7"));
    EXPECT_TRUE(holds("(1 + 2) * 3 == 9"));
    EXPECT_TRUE(holds("not channels > 4 and power < 5 W"));
    EXPECT_TRUE(holds("channels == 1 or channels == 2 or channels == 4"));
    EXPECT_TRUE(holds("not (channels == 4 and power > 5 W)"));
    EXPECT_TRUE(holds("-channels < 0"));
    EXPECT_TRUE(holds("8 - 4 - 2 == 2"));
    EXPECT_TRUE(holds("energy / latency == power"));
}

TEST(Expression, compares_choices_by_name_and_reads_flags) {
    EXPECT_TRUE(holds("baseline == \"relayout\""));
    EXPECT_TRUE(holds("baseline != umdam"));
    EXPECT_FALSE(holds("'umdam' == baseline"));
    EXPECT_TRUE(holds("double_buffer"));
    EXPECT_TRUE(holds("double_buffer == true"));
}

TEST(Expression, refuses_what_makes_no_sense_in_one_sentence) {
    EXPECT_THAT(refusal("latency <= 16 GiB"), HasSubstr("units differ"));
    EXPECT_THAT(refusal("latency <= 16"), says("time-plain-number-cannot"));
    EXPECT_THAT(refusal("1 / latency <= 16"), says("hz"));
    EXPECT_THAT(refusal("1 / energy <= 16 s"), says("quantity-time-cannot-compared"));
    EXPECT_THAT(refusal("latency <= 3 s 1/nothing"), says("understood-here"));
    EXPECT_THAT(refusal("latncy <= 1 s"), HasSubstr("'latency'"));
    EXPECT_THAT(refusal("baseline == relay"), says("value-baseline"));
    EXPECT_THAT(refusal("baseline < umdam"), HasSubstr("== or !="));
    EXPECT_THAT(refusal("latency"), HasSubstr("not a condition"));
    EXPECT_THAT(refusal("latency <="), HasSubstr("too early"));
    EXPECT_THAT(refusal("(latency < 1 s"), HasSubstr("')' is missing"));
    EXPECT_THAT(refusal("latency < 1 s extra"), HasSubstr("not understood"));
    EXPECT_THAT(refusal("latency + footprint < 1 s"), HasSubstr("units differ"));
    EXPECT_THAT(refusal("latency <= 16 seconds"), says("unknown-unit-seconds"));
    EXPECT_THAT(refusal("footprint <= 8 gib"), HasSubstr("Did you mean 'GiB' or 'Gib'?"));
    EXPECT_THAT(refusal("latency <= 1,5 s"), says("decimal-comma-numbers-written"));
    EXPECT_THAT(refusal("1 / latency >= 250 1/"), says("understood-here-2"));
    EXPECT_THAT(refusal(""), HasSubstr("too early"));
}

TEST(Expression, tells_parameters_from_metrics) {
    EXPECT_FALSE(models::parse_condition("channels <= 4", {parameters, metrics}).uses_metrics());
    EXPECT_TRUE(models::parse_condition("channels <= 4 and latency < 1 s", {parameters, metrics}).uses_metrics());
}

TEST(Expression, is_not_met_where_it_is_unknown) {
    auto nan_result = result;
    nan_result[0] = Estimate::unbounded(std::numeric_limits<double>::quiet_NaN());
    auto const point = models::default_point(parameters);
    EXPECT_FALSE(models::parse_condition("latency < 1 s", {parameters, metrics}).holds(point, nan_result));
    EXPECT_FALSE(models::parse_condition("not latency < 1 s", {parameters, metrics}).holds(point, nan_result));
    EXPECT_TRUE(
        models::parse_condition("latency < 1 s or power < 5 W", {parameters, metrics}).holds(point, nan_result));
    EXPECT_EQ(models::parse_condition("latency < 1 s and power < 5 W", {parameters, metrics}).truth(point, nan_result),
              models::Truth::unknown);
}

TEST(Expression, knows_how_far_an_inequality_is_from_its_limit) {
    auto const point = models::default_point(parameters);
    EXPECT_NEAR(models::parse_condition("latency <= 1 s", {parameters, metrics}).slack(point, result), 0.5, 1e-12);
    EXPECT_NEAR(models::parse_condition("latency >= 1 s", {parameters, metrics}).slack(point, result), -0.5, 1e-12);
    EXPECT_TRUE(std::isnan(
        models::parse_condition("latency <= 1 s and power < 9 W", {parameters, metrics}).slack(point, result)));
}

/// Random trees of numbers are printed fully bracketed and evaluated by plain recursion: the obvious reference.
class RandomTree {
  public:
    explicit RandomTree(std::uint64_t seed) : state_(seed) {}
    std::pair<std::string, double> number(int depth) {
        if (depth == 0 || next() % 4 == 0) {
            auto const value = static_cast<double>(next() % 9);
            return {std::to_string(static_cast<int>(value)), value};
        }
        auto const [a, x] = number(depth - 1);
        auto const [b, y] = number(depth - 1);
        switch (next() % 3) {
            case 0:
                return {"(" + a + " + " + b + ")", x + y};
            case 1:
                return {"(" + a + " - " + b + ")", x - y};
            default:
                return {"(" + a + " * " + b + ")", x * y};
        }
    }
    std::pair<std::string, bool> truth(int depth) {
        if (depth == 0) {
            auto const [a, x] = number(2);
            auto const [b, y] = number(2);
            return next() % 2 == 0 ? std::pair{"(" + a + " < " + b + ")", x < y}
                                   : std::pair{"(" + a + " >= " + b + ")", x >= y};
        }
        auto const [a, x] = truth(depth - 1);
        auto const [b, y] = truth(depth - 1);
        switch (next() % 3) {
            case 0:
                return {"(" + a + " and " + b + ")", x && y};
            case 1:
                return {"(" + a + " or " + b + ")", x || y};
            default:
                return {"(not " + a + ")", !x};
        }
    }

  private:
    std::uint64_t next() { return state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL, state_ >> 33; }
    std::uint64_t state_;
};

TEST(Expression, agrees_with_plain_recursion_on_random_trees) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        auto const [text, truth] = RandomTree(seed).truth(static_cast<int>(seed % 4));
        EXPECT_EQ(holds(text), truth) << text;
    }
}

TEST(Expression, surely_fails_only_where_no_metrics_within_proved_bounds_meet_it) {
    auto const point = models::default_point(parameters);
    for (char const* text : {"latency <= 1 s", "latency > 2 s and power < 3 W", "energy / latency >= 2 W",
                             "not power == 3 W", "energy - 2 * power * latency < 0 J or latency != 1 s",
                             "-power < -2 W or energy <= 1 J", "power == 2 W", "energy / (latency - 1 s) > 4 W"}) {
        auto const condition = models::parse_condition(text, {parameters, metrics});
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            auto const dice = [&, count = std::uint64_t{0}](std::uint64_t limit) mutable {
                return static_cast<double>(sim::mixed_bits(seed * 1000 + ++count) % limit);
            };
            std::vector<Estimate> coarse, fine;
            auto draw = dice;
            for (std::size_t m = 0; m < metrics.size(); ++m) {
                double const lower = draw(5), upper = lower + draw(3);
                auto const proved = models::Bound::proved, none = models::Bound::none;
                sim::BoundKinds const kinds(draw(8) == 0 ? none : proved, draw(8) == 0 ? none : proved);
                coarse.push_back(Estimate::within(lower, lower, upper, kinds));
            }
            bool met = false;
            for (int trial = 0; trial < 40; ++trial) {
                fine.clear();
                for (auto const& c : coarse) {
                    double const lower = c.kinds.lower == models::Bound::proved ? c.lower : -5.0;
                    double const upper = c.kinds.upper == models::Bound::proved ? c.upper : 9.0;
                    bool const applies = draw(10) != 0;  // a finer level that knows less makes nothing true
                    fine.push_back(applies ? Estimate::exact(lower + draw(5) / 4.0 * (upper - lower))
                                           : Estimate::unbounded(std::nan("")));
                }
                met = met || condition.holds(point, fine);
            }
            EXPECT_FALSE(met && surely_fails(condition, point, coarse)) << text << ", seed " << seed;
        }
    }
    auto const condition = models::parse_condition("latency <= 1 s", {parameters, metrics});
    auto coarse = result;
    coarse[0] = Estimate::within(2.0, 1.5, 3.0, models::Bound::proved);
    EXPECT_TRUE(surely_fails(condition, point, coarse));
    coarse[0].kinds = models::Bound::calibrated;
    EXPECT_FALSE(surely_fails(condition, point, coarse));
    coarse[0] = Estimate::exact(std::nan(""));
    EXPECT_FALSE(surely_fails(condition, point, coarse));
}

TEST(Expression, refuses_what_would_take_the_stack_in_a_short_sentence) {
    auto const many = [](std::string const& text, std::size_t times) {
        std::string all;
        for (std::size_t i = 0; i < times; ++i) all += text;
        return all;
    };
    for (auto const& text : {many("-", 40'000) + "1 < 2", many("- ", 65) + "1 < 2", many("not ", 2'000'000) + "true",
                             many("not ", 65) + "true", many("(", 40'000), many("1*", 40'000) + "1 < 2"}) {
        auto const said = refusal(text);
        EXPECT_THAT(said, says("nested-too-deeply-or-too-long")) << text.substr(0, 20);
        EXPECT_LT(said.size(), 400U);
    }
    EXPECT_TRUE(holds(many("not ", 64) + "true"));
    EXPECT_TRUE(holds(many("- ", 64) + "1 > 0"));
}

TEST(Expression, keeps_exponents_of_units_within_what_they_hold) {
    std::string powers = "block";
    for (int i = 0; i < 256; ++i) powers += "*block";  // 257 wrapped to 1: data
    EXPECT_THAT(refusal(powers + " < 1 B"), HasSubstr("exponent"));
    EXPECT_THAT(refusal("latency < 1e300 TB"), HasSubstr("malformed"));
}

}  // namespace
}  // namespace pimdse::dse::space::expression_test
