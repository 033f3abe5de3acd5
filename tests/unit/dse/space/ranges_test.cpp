#include "dse/space/axis_reader.hpp"
#include "models/contract/parameter_text.hpp"
#include "tests/unit/says.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <toml++/toml.h>
#include <cmath>
#include <random>

namespace pimdse::dse::space::ranges_test {
namespace {

using models::Kind;
using models::Parameter;
using models::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Parameter count() { return {.name = "count", .kind = Kind::integer, .default_value = Value::integer(1)}; }
Parameter interval() {
    return {.name = "interval", .kind = Kind::quantity, .unit = "ns", .default_value = Value::quantity(4e-9)};
}
Parameter factor() { return {.name = "factor", .kind = Kind::quantity, .default_value = Value::quantity(1.0)}; }

struct Read {
    std::vector<Value> values;
    std::vector<std::string> mistakes;
    std::string unmet;
};

Read read(Parameter parameter, std::string const& text) {
    Read result;
    auto const table = toml::parse("v = " + text);
    auto const& node = *table.get("v");
    auto const axis = read_axis(parameter, node, "here", result.mistakes);
    if (!axis) return result;
    for (std::uint64_t i = 0; i < axis->size(); ++i) result.values.push_back(axis->at(i));
    result.unmet = unmet_end(parameter, node, *axis);
    return result;
}

/// A decimal with two places, exactly as a person writes it.
std::string hundredths(std::int64_t number) {
    return fmt::format("{}{}.{:02}", number < 0 ? "-" : "", std::abs(number) / 100, std::abs(number) % 100);
}

TEST(Ranges, of_whole_numbers_are_what_counting_gives) {
    std::mt19937 random(3);
    auto const any = [&](int lower, int upper) { return std::uniform_int_distribution(lower, upper)(random); };
    for (int round = 0; round < 500; ++round) {
        std::int64_t const from = any(-50, 50), to = from + any(0, 60), step = any(1, 9);
        std::vector<Value> wanted;
        for (auto value = from; value <= to; value += step) wanted.push_back(Value::integer(value));
        auto const text = fmt::format("{{ from = {}, to = {}, step = {} }}", from, to, step);
        auto const found = read(count(), text);
        EXPECT_EQ(found.values, wanted) << text;
        EXPECT_EQ(found.unmet.empty(), wanted.back() == Value::integer(to)) << text << ": " << found.unmet;
    }
}

TEST(Ranges, by_whole_factors_are_what_multiplying_gives) {
    for (std::int64_t from = 1; from <= 7; ++from) {
        for (std::int64_t times = 2; times <= 11; ++times) {
            for (std::int64_t const to : {from, 2 * from, 100 * from, std::int64_t{1} << 40, std::int64_t{1} << 53}) {
                std::vector<Value> wanted;
                for (auto value = from; value <= to; value *= times) wanted.push_back(Value::integer(value));
                auto const text = fmt::format("{{ from = {}, to = {}, times = {} }}", from, to, times);
                EXPECT_EQ(read(count(), text).values, wanted) << text;
            }
        }
    }
}

// Sums of decimals are below their end as often as above it: 0.77 + 23 x 0.48 and 11.81 are two numbers.
TEST(Ranges, that_meet_their_end_in_decimals_end_with_it) {
    std::mt19937 random(5);
    auto const any = [&](int lower, int upper) { return std::uniform_int_distribution(lower, upper)(random); };
    for (int round = 0; round < 3000; ++round) {
        std::int64_t const from = any(-300, 300), step = any(1, 90), steps = any(0, 40);
        auto const to = from + steps * step;
        bool const plain = round % 2 == 0;
        auto const word = [&](std::int64_t number) {
            return plain ? hundredths(number) : '"' + hundredths(number) + " ns\"";
        };
        auto const text = fmt::format("{{ from = {}, to = {}, step = {} }}", word(from), word(to), word(step));
        auto const found = read(plain ? factor() : interval(), text);
        ASSERT_EQ(found.values.size(), static_cast<std::size_t>(steps + 1)) << text;
        auto parameter = plain ? factor() : interval();
        for (std::int64_t i = 0; i <= steps; ++i) {
            auto const number = hundredths(from + i * step);
            EXPECT_EQ(found.values[static_cast<std::size_t>(i)],
                      models::read_value(parameter, plain ? number : number + " ns"))
                << text << " at " << i;
        }
        EXPECT_EQ(found.unmet, "") << text;
    }
}

TEST(Ranges, that_miss_their_end_say_so_and_stay_below_it) {
    std::mt19937 random(7);
    auto const any = [&](int lower, int upper) { return std::uniform_int_distribution(lower, upper)(random); };
    for (int round = 0; round < 1000; ++round) {
        std::int64_t const from = any(-300, 300), step = any(2, 90), steps = any(0, 40);
        auto const to = from + steps * step + any(1, static_cast<int>(step) - 1);
        auto const text =
            fmt::format("{{ from = {}, to = {}, step = {} }}", hundredths(from), hundredths(to), hundredths(step));
        auto const found = read(factor(), text);
        ASSERT_EQ(found.values.size(), static_cast<std::size_t>(steps + 1)) << text;
        EXPECT_NEAR(found.values.back().as_quantity(), static_cast<double>(from + steps * step) / 100.0, 1e-12);
        EXPECT_THAT(found.unmet, HasSubstr("does not meet 'to' = ")) << text;
    }
}

TEST(Ranges, by_factors_of_quantities_meet_their_ends) {
    for (double const times : {1.1, 1.25, 1.5, 2.0, 3.0, 10.0}) {
        for (int power = 0; power < 20; ++power) {
            auto const to = std::pow(times, power);
            auto const text = fmt::format("{{ from = \"1 ns\", to = \"{} ns\", times = {} }}", to, times);
            auto const found = read(interval(), text);
            EXPECT_EQ(found.values.size(), static_cast<std::size_t>(power + 1)) << text;
            EXPECT_EQ(found.unmet, "") << text;
        }
    }
}

TEST(Ranges, hold_the_numbers_that_one_writes) {
    auto const of = [](std::vector<double> const& numbers) {
        std::vector<Value> values;
        for (double const number : numbers) values.push_back(Value::quantity(number));
        return values;
    };
    EXPECT_EQ(read(factor(), "{ from = 0.1, to = 0.7, step = 0.1 }").values, of({0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}));
    EXPECT_EQ(read(factor(), "{ from = 0.001, to = 100, times = 10 }").values, of({0.001, 0.01, 0.1, 1, 10, 100}));
    EXPECT_EQ(read(interval(), R"({ from = "0.1 us", to = "400 ns", step = "0.1 us" })").values,
              of({100e-9, 200e-9, 300e-9, 400e-9}));
    EXPECT_EQ(read(factor(), "{ from = 1e-300, to = 1e300, times = 1e100 }").values.size(), 7U)
        << "beyond exact digits";
}

TEST(Ranges, keep_to_the_limits_of_their_parameter_but_for_the_step) {
    auto limited = count();
    limited.lower = 10.0;
    limited.upper = 20.0;
    EXPECT_THAT(read(limited, "{ from = 10, to = 20, step = 5 }").values,
                ElementsAre(Value::integer(10), Value::integer(15), Value::integer(20)));
    EXPECT_THAT(read(limited, "{ from = 9, to = 20 }").mistakes,
                ElementsAre("here: count = 9 is out of range (it must lie in 10..20)"));
    EXPECT_THAT(read(limited, "{ from = 10, to = 21 }").mistakes,
                ElementsAre("here: count = 21 is out of range (it must lie in 10..20)"));
}

TEST(Ranges, are_refused_in_a_sentence_that_names_the_parameter) {
    auto const said = [](Parameter const& parameter, std::string const& text) {
        auto const mistakes = read(parameter, text).mistakes;
        return mistakes.size() == 1 ? mistakes[0] : fmt::format("{} mistakes", mistakes.size());
    };
    EXPECT_THAT(said(count(), "{ from = 4 }"), says("here-count-range-needs"));
    EXPECT_THAT(said(count(), "{ from = 4, to = 8, times = 2, step = 1 }"), says("here-count-both-step"));
    EXPECT_THAT(said(count(), "{ from = 4, to = 8, stpe = 1 }"), says("here-count-unknown-key"));
    EXPECT_THAT(said(count(), "{ from = 4, to = 14, times = 1.5 }"), says("here-count-range-contains"));
    EXPECT_THAT(said(interval(), R"({ from = "1 ns", to = "2 ns" })"), says("here-interval-range-quantities"));
    EXPECT_THAT(said(interval(), "{ permute = [\"a\"] }"), says("here-interval-no-items"));
    Parameter const flag{.name = "gated", .kind = Kind::flag, .default_value = Value::flag(false)};
    EXPECT_THAT(said(flag, "{ from = 0, to = 1 }"), says("here-gated-range-needs"));
}

TEST(Lists, name_their_parameter_in_every_mistake) {
    auto const found = read(count(), R"(["x", [1], 3, 3, 2.5])");
    ASSERT_EQ(found.mistakes.size(), 4U);
    for (auto const& mistake : found.mistakes) EXPECT_THAT(mistake, HasSubstr("here: count")) << mistake;
    EXPECT_THAT(read(count(), "[]").mistakes, ElementsAre(says("here-count-empty-list")));
}

TEST(Lists, take_one_value_written_in_two_forms_for_one_value) {
    EXPECT_THAT(read(interval(), R"(["4 ns", "4.0 ns"])").mistakes, ElementsAre(HasSubstr("twice")));
    EXPECT_THAT(read(interval(), R"(["1 ns", "1 us"])").mistakes, ElementsAre());
}

TEST(ClassRequest, has_a_family_and_details_in_texts) {
    auto const of = [](std::string const& text) { return read_class_request(*toml::parse("v = " + text).get("v")); };
    auto const request = of(R"({ classes = "all", ranks = [1, "two"], deep = true })");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->family, "all");
    EXPECT_THAT(request->details.at("ranks"), ElementsAre("1", "two"));
    EXPECT_THAT(request->details.at("deep"), ElementsAre("true"));
    EXPECT_FALSE(of("[1, 2]"));
    EXPECT_FALSE(of("{ from = 1, to = 2 }"));
    for (auto const* wrong : {R"({ classes = ["a", "b"] })", R"({ classes = "" })", "{ classes = [] }"})
        EXPECT_ANY_THROW((void)of(wrong)) << wrong;
}

}  // namespace
}  // namespace pimdse::dse::space::ranges_test
