#include "models/expression/expression_parser.hpp"

#include "dse/space/expression_bounds.hpp"
#include "refusal.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <optional>
#include <random>

namespace pimdse::dse::space::expression_parser_test {
namespace {

using models::Estimate;
using models::Kind;
using models::Value;
using ::testing::HasSubstr;
using ::testing::Not;

models::Parameters const named_parameters{
    {.name = "rows", .kind = Kind::integer, .default_value = Value::integer(4)},
    {.name = "block", .kind = Kind::integer, .unit = "KiB", .default_value = Value::integer(3)},
    {.name = "mode", .kind = Kind::choice, .default_value = Value::choice(1), .choices = {"slow", "fast"}},
    {.name = "gated", .kind = Kind::flag, .default_value = Value::flag(true)},
    {.name = "order",
     .kind = Kind::permutation,
     .default_value = Value::permutation(0),
     .choices = {},
     .items = {"a", "b"}},
};
models::MetricList const named_metrics{{.name = "latency", .unit = "s"}, {.name = "latency@chat-1.5", .unit = "s"}};
std::vector<Estimate> const exact_result{Estimate::exact(2.0), Estimate::exact(3.0)};

models::Expression read(std::string const& text) {
    return models::parse_condition(text, {named_parameters, named_metrics});
}

std::string refusal(std::string const& text) { return refusal_of(text, {named_parameters, named_metrics}); }

bool is_met(std::string const& text) { return read(text).holds(models::default_point(named_parameters), exact_result); }

TEST(ExpressionParser, refuses_sums_and_signs_of_what_is_no_number) {
    for (char const* text : {"(rows < 1) + gated", "gated - gated", "true + true", "-gated", "-(rows < 5)",
                             "not -(latency <= 1 s)", "(rows < 1) + (rows < 2) == gated"})
        EXPECT_THAT(refusal(text), HasSubstr("only numbers")) << text;
    EXPECT_THAT(refusal("-mode == slow"), HasSubstr("only numbers"));
    EXPECT_THAT(refusal("slow == -mode"), HasSubstr("only numbers"));
    EXPECT_THAT(refusal("mode + mode == slow"), HasSubstr("only numbers"));
    EXPECT_THAT(refusal("mode == mode"), says("one-names"));
    EXPECT_THAT(refusal("order == a"), says("value-order"));
    EXPECT_THAT(refusal("gated * 2 == 2"), HasSubstr("multiplied"));
    EXPECT_THAT(refusal("gated == 1"), says("cannot-compared"));
}

TEST(ExpressionParser, asks_for_quotes_around_names_that_would_be_differences) {
    EXPECT_THAT(refusal("mode == slow-4"), says("slow-without-quotes-difference"));
    EXPECT_THAT(refusal("mode == slow - 4"), Not(HasSubstr("quotes")));
    EXPECT_THAT(refusal("mode == \"slow-4\""), says("slow-value-mode"));
    EXPECT_NO_THROW((void)read("mode == slow"));
}

TEST(ExpressionParser, takes_a_plain_zero_for_one_of_any_unit_also_in_a_sum) {
    EXPECT_TRUE(is_met("latency > 0"));
    EXPECT_TRUE(is_met("0 - latency == -2 s"));
    EXPECT_TRUE(is_met("0 + latency == 2 s"));
    EXPECT_TRUE(is_met("latency - 0 == 2 s"));
    EXPECT_THAT(refusal("0 + latency == 2 B"), HasSubstr("units differ"));
}

TEST(ExpressionParser, reads_counts_in_their_unit_and_metrics_of_scenarios_by_their_whole_names) {
    EXPECT_TRUE(is_met("block == 3072 B"));
    EXPECT_TRUE(is_met("latency@chat-1.5 == 3 s"));
    EXPECT_TRUE(is_met("latency@chat-1.5 - latency == 1 s"));
    EXPECT_THAT(refusal("latency@chat-1 == 3 s"), HasSubstr("latency@chat-1.5"));
    EXPECT_THAT(refusal("latency@ == 3 s"), HasSubstr("is neither"));
}

/// Conditions that read, in every form there is.
class RandomCondition {
  public:
    explicit RandomCondition(std::uint64_t seed) : random_(seed) {}

    std::string truth(int depth) {
        switch (below(depth > 0 ? 8 : 4)) {
            case 0:
                return "mode " + one_of({"==", "!="}) + " " + one_of({"fast", "'slow'", "\"fast\""});
            case 1:
                return one_of({"gated", "gated == true", "false != gated", "true"});
            case 2:
            case 3:
                return number(2) + " " + one_of({"<", "<=", ">", ">=", "==", "!=", "="}) + " " + number(2);
            case 4:
                return "not " + one_of({"", "not "}) + truth(0);
            case 5:
                return "(" + truth(depth - 1) + ")";
            default:
                return truth(depth - 1) + " " + one_of({"and", "or"}) + " " + truth(depth - 1);
        }
    }
    std::string number(int depth) {
        switch (below(depth > 0 ? 6 : 3)) {
            case 0:
                return one_of({"rows", "latency / 1 s", "latency@chat-1.5 / latency", "block / 1 KiB"});
            case 1:
            case 2:
                return one_of({"0", "1", "2", "3.5", "4", "1e3", "0.25"});
            case 3:
                return "-" + number(0);
            case 4:
                return "(" + number(depth - 1) + ")";
            default:
                return number(depth - 1) + " " + one_of({"+", "-", "*"}) + " " + number(depth - 1);
        }
    }
    /// With a few letters lost, doubled or swapped for others.
    std::string damaged(std::string text) {
        constexpr std::string_view letters = "()-+*/<>=! '\"aenotr0.9@s%,\\\n";
        for (std::uint64_t hits = 1 + below(3); hits > 0 && !text.empty(); --hits) {
            std::size_t const at = below(text.size());
            if (below(2) == 0) text.erase(at, 1 + below(3));
            if (below(2) == 0) text.insert(std::min(at, text.size()), 1, letters[below(letters.size())]);
        }
        return text;
    }

  private:
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    std::string one_of(std::vector<std::string> const& words) { return words[below(words.size())]; }
    std::mt19937_64 random_;
};

/// What must hold of every condition that reads, whatever it is.
void expect_sound(models::Expression const& condition, std::mt19937_64& random) {
    auto point = models::default_point(named_parameters);
    point[0] = Value::integer(static_cast<std::int64_t>(random() % 6));
    point[2] = Value::choice(random() % 2);
    point[3] = Value::flag(random() % 2 == 0);
    std::vector<Estimate> metrics{Estimate::exact(static_cast<double>(random() % 5)),
                                  Estimate::exact(static_cast<double>(1 + random() % 5))};
    bool const met = condition.holds(point, metrics);
    ASSERT_FALSE(met && surely_fails(condition, point, metrics)) << condition.text();
    auto const again = read(condition.text());
    ASSERT_EQ(again.holds(point, metrics), met) << "the text says all of it: " << condition.text();
    double const slack = condition.slack(point, metrics);
    ASSERT_TRUE(std::isnan(slack) || met == (slack >= 0.0) || slack == 0.0) << condition.text() << ", slack " << slack;
    ASSERT_TRUE(condition.uses_metrics() || condition.holds(point, {}) == met);
}

TEST(ExpressionParser, makes_of_any_text_a_sound_condition_or_a_short_sentence) {
    std::mt19937_64 random(1);
    std::size_t read_ones = 0, refused = 0;
    for (std::uint64_t seed = 0; seed < 6000; ++seed) {
        RandomCondition make(seed);
        auto text = make.truth(3);
        bool const whole = seed % 3 == 0;
        if (!whole) text = make.damaged(text);
        std::optional<models::Expression> condition;
        try {
            condition = read(text);
        } catch (sim::InputError const& error) {
            ASSERT_FALSE(whole) << text << ": " << error.what();
            ASSERT_LT(std::string(error.what()).size(), 500U);
            ++refused;
        }
        if (!condition) continue;
        ++read_ones;
        ASSERT_NO_FATAL_FAILURE(expect_sound(*condition, random));
    }
    EXPECT_GT(read_ones, 2000U);
    EXPECT_GT(refused, 1000U);
}

/// The slow way: of one comparison the sides as they are written, each on its own.
TEST(ExpressionParser, knows_the_slack_of_one_comparison_and_of_nothing_else) {
    auto const slack = [](std::string const& text) {
        return read(text).slack(models::default_point(named_parameters), exact_result);
    };
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        RandomCondition make(seed);
        auto const left = make.number(3), right = make.number(3);
        double const more = slack("(" + left + ") + 1000 >= " + right + " + 1000");
        double const less = slack("1000 + " + right + " <= ((" + left + ") + 1000)");
        EXPECT_EQ(more >= 0.0, is_met(left + " >= " + right)) << left << " >= " << right;
        EXPECT_EQ(less >= 0.0, more >= 0.0) << left << " >= " << right;
    }
    EXPECT_DOUBLE_EQ(slack("((latency <= 4 s))"), 0.5);
    for (char const* text :
         {"rows == 4", "not rows < 5", "rows < 5 and gated", "gated", "(rows < 5) == true", "(rows < 5) == (rows < 6)"})
        EXPECT_TRUE(std::isnan(slack(text))) << text;
}

}  // namespace
}  // namespace pimdse::dse::space::expression_parser_test
