#include "dse/space/requested_machine.hpp"

#include "models/expression/expression_parser.hpp"
#include "tests/unit/dse/made_up_space.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace pimdse::dse::space::violation_test {
namespace {

using models::Estimate;
using models::Truth;
using models::Value;

/// A design with 8 rows of depth 6 in mode wide, at 2 GHz, that takes 54 s and 3 J.
struct Design {
    std::vector<Value> point{Value::integer(8), Value::integer(6), Value::choice(1), Value::quantity(2e9),
                             Value::permutation(0)};
    models::Metrics metrics{Estimate::exact(54.0), Estimate::exact(3.0), Estimate::exact(0.5)};
};

models::Expression parsed(std::string const& text) {
    return models::parse_condition(text, {testing::made_up_parameters(), testing::made_up_metrics()});
}

double broken(std::string const& text, Design const& design = {}) {
    return violation_of(parsed(text), design.point, design.metrics);
}

TEST(Violation, of_a_comparison_is_its_excess_relative_to_the_limit) {
    EXPECT_DOUBLE_EQ(broken("latency <= 45 s"), 0.2);
    EXPECT_DOUBLE_EQ(broken("45 s >= latency"), 0.2);
    EXPECT_DOUBLE_EQ(broken("latency < 45000 ms"), 0.2);
    EXPECT_DOUBLE_EQ(broken("rows >= 10"), 0.2);
    EXPECT_DOUBLE_EQ(broken("clock == 1.6 GHz"), 0.25);
    EXPECT_DOUBLE_EQ(broken("latency <= 6 * rows * 1 s"), 0.125) << "the right side, where both vary";
    EXPECT_DOUBLE_EQ(broken("latency - 45 s <= 0"), 9.0 / 99.0) << "a limit of 0 has no size of its own";
    for (auto const* met : {"latency <= 54 s", "latency >= 1 s", "rows == 8", "rows != 9", "mode == \"wide\""})
        EXPECT_EQ(broken(met), 0.0) << met;
    EXPECT_EQ(broken("mode == \"deep\""), 1.0);
    EXPECT_EQ(broken("mode != \"wide\""), 0.0) << "broken, but by nothing";
}

TEST(Violation, of_a_condition_follows_its_words) {
    EXPECT_DOUBLE_EQ(broken("latency <= 45 s and rows >= 10"), 0.4);
    EXPECT_DOUBLE_EQ(broken("latency <= 45 s or rows >= 16"), 0.2);
    EXPECT_DOUBLE_EQ(broken("not (latency > 45 s)"), 0.2);
    EXPECT_DOUBLE_EQ(broken("not (latency > 45 s or rows < 10)"), 0.4);
    EXPECT_DOUBLE_EQ(broken("not (latency > 45 s and rows < 16)"), 0.2);
}

TEST(Violation, of_what_is_unknown_is_not_measured) {
    Design design;
    design.metrics[0] = Estimate::unbounded(std::nan(""));
    for (auto const* text : {"latency <= 45 s", "not (latency <= 45 s)", "latency <= 45 s and rows >= 1"})
        EXPECT_EQ(broken(text, design), models::Infeasible::unmeasured) << text;
    EXPECT_EQ(broken("latency <= 45 s or rows >= 1", design), 0.0);
    EXPECT_DOUBLE_EQ(broken("latency <= 45 s or rows >= 10", design), 0.2);
}

/// A random condition and its opposite, with all `not` moved inwards.
struct Both {
    std::string text, opposite;
};

Both drawn(std::mt19937& random, int depth) {
    auto const number = [&] { return std::to_string(random() % 100) + ".5"; };
    if (depth == 0 || random() % 4 == 0) {
        bool const falling = random() % 2 == 0;
        auto const left = random() % 2 == 0 ? std::string("latency") : std::string("2 * latency - 3 s");
        auto const right = number() + " s";
        return falling ? Both{"(" + left + " <= " + right + ")", "(" + left + " > " + right + ")"}
                       : Both{"(" + left + " >= " + right + ")", "(" + left + " < " + right + ")"};
    }
    auto const a = drawn(random, depth - 1), b = drawn(random, depth - 1);
    return random() % 2 == 0
               ? Both{"(" + a.text + " and " + b.text + ")", "(" + a.opposite + " or " + b.opposite + ")"}
               : Both{"(" + a.text + " or " + b.text + ")", "(" + a.opposite + " and " + b.opposite + ")"};
}

TEST(Violation, is_zero_exactly_where_a_condition_is_met_and_turns_with_not) {
    std::mt19937 random(3);
    int met = 0;
    for (int i = 0; i < 3000; ++i) {
        auto const both = drawn(random, 4);
        Design design;
        design.metrics[0] = Estimate::exact(static_cast<double>(random() % 120));
        bool const yes = parsed(both.text).truth(design.point, design.metrics) == Truth::yes;
        met += yes ? 1 : 0;
        EXPECT_EQ(broken(both.text, design) == 0.0, yes) << both.text;
        EXPECT_EQ(broken("not " + both.text, design), broken(both.opposite, design)) << both.text;
        EXPECT_EQ(broken("not " + both.opposite, design), broken(both.text, design)) << both.text;
    }
    EXPECT_GT(met, 500);
}

TEST(Violation, of_a_machine_is_the_sum_over_its_conditions_of_a_kind) {
    auto const machine = testing::made_up_machine({}, {"latency <= 45 s", "energy <= 2 J", "rows >= 10", "depth >= 3"});
    Design const design;
    EXPECT_DOUBLE_EQ(violation_of(machine, false, design.point, design.metrics), 0.2 + 0.5);
    EXPECT_DOUBLE_EQ(violation_of(machine, true, design.point, {}), 0.2);
}

}  // namespace
}  // namespace pimdse::dse::space::violation_test
