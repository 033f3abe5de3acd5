#include "models/expression/slopes.hpp"

#include "models/expression/expression_parser.hpp"
#include "sim/base/random.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::models::slopes_test {
namespace {

Parameters const no_parameters;
MetricList const no_rows;
/// `grows` and `fixed` are positive, `signed` may be negative.
std::vector<NamedNumber> const three_numbers{{"grows", {}}, {"fixed", {}}, {"signed", {}}};
Vocabulary const three{no_parameters, no_rows, three_numbers};

MovedOperand leaf_of_three(Expression::Step const& step) {
    if (step.code == Expression::Code::number) return {Slope::flat, step.number >= 0.0};
    return {step.index == 0 ? Slope::up : Slope::flat, step.index < 2};
}

ConstantSlope slope_in(std::string const& text) {
    return moved(parse_arithmetic(text, three).expression, leaf_of_three).slope;
}

ConstantSlope slope_of_condition(std::string const& text) {
    return moved(parse_condition(text, three), leaf_of_three).slope;
}

/// Random texts of arithmetic and, within if(), of conditions.
class RandomText {
  public:
    explicit RandomText(std::uint64_t seed) : seed_(seed) {}

    std::string number(int depth) {
        if (depth == 0 || below(5) == 0)
            return std::array<std::string, 5>{"grows", "fixed", "signed", "2.5", "0.5"}[below(5)];
        auto const a = number(depth - 1), b = number(depth - 1);
        switch (below(9)) {
            case 0:
                return "(" + a + " + " + b + ")";
            case 1:
                return "(" + a + " - " + b + ")";
            case 2:
                return "(" + a + " * " + b + ")";
            case 3:
                return "(" + a + " / " + b + ")";
            case 4:
                return "min(" + a + ", " + b + ")";
            case 5:
                return "max(" + a + ", " + b + ")";
            case 6:
                return "ceil(" + a + ")";
            case 7:
                return "(-" + a + ")";
            default:
                return "if(" + condition(depth - 1) + ", " + a + ", " + b + ")";
        }
    }

    std::string condition(int depth) {
        auto const compared =
            number(depth) + std::array<std::string, 4>{" < ", " <= ", " > ", " >= "}[below(4)] + number(depth);
        if (depth == 0 || below(2) == 0) return compared;
        switch (below(3)) {
            case 0:
                return "(" + compared + " and " + condition(depth - 1) + ")";
            case 1:
                return "(" + compared + " or " + condition(depth - 1) + ")";
            default:
                return "not (" + compared + ")";
        }
    }

    double fraction() { return sim::mixed_fraction(seed_ * 1'000'003 + ++drawn_); }

  private:
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(fraction() * static_cast<double>(count)); }

    std::uint64_t seed_, drawn_ = 0;
};

/// Whether a number may follow another if `grows` grew from the one to the other.
bool follows(ConstantSlope slope, double before, double after) {
    if (!slope || !std::isfinite(before) || !std::isfinite(after)) return true;  // a divisor is zero
    double const slack = 1e-9 * (std::abs(before) + std::abs(after));
    return (*slope == Slope::down || after >= before - slack) && (*slope == Slope::up || after <= before + slack);
}

TEST(Slopes, HoldForRandomExpressions) {
    std::size_t known = 0;
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        RandomText random(seed);
        auto const arithmetic = random.number(3), compared = random.condition(2);
        auto const number = parse_arithmetic(arithmetic, three).expression;
        auto const condition = parse_condition(compared, three);
        auto const of_number = moved(number, leaf_of_three);
        auto const of_condition = moved(condition, leaf_of_three).slope;
        known += of_number.slope && of_number.slope != Slope::flat ? 1 : 0;
        for (int i = 0; i < 20; ++i) {
            std::vector<double> values{3.0 * random.fraction(), 3.0 * random.fraction(), 4.0 * random.fraction() - 2.0};
            auto grown = values;
            grown[0] += random.fraction();
            double const before = number.number({}, {}, values), after = number.number({}, {}, grown);
            EXPECT_TRUE(follows(of_number.slope, before, after)) << arithmetic << ": " << before << " to " << after;
            EXPECT_TRUE(!of_number.non_negative || !(before < 0.0)) << arithmetic;
            EXPECT_TRUE(follows(of_condition, -condition.number({}, {}, values), -condition.number({}, {}, grown)))
                << compared;
        }
    }
    EXPECT_GT(known, 300U);
}

TEST(Slopes, FollowFromSigns) {
    EXPECT_EQ(slope_in("2.5 * signed * 0 + grows"), Slope::up);
    EXPECT_EQ(slope_in("fixed / grows"), Slope::down);
    EXPECT_EQ(slope_in("signed / grows"), ConstantSlope{});
    EXPECT_EQ(slope_in("2 * (signed - grows)"), Slope::down);
    EXPECT_EQ(slope_in("if(fixed > 1, grows, 2 * grows)"), Slope::up);
    EXPECT_EQ(slope_in("if(grows > 1, 1, 2)"), ConstantSlope{});
    EXPECT_EQ(slope_of_condition("grows <= 3 * fixed"), Slope::up) << "it becomes false";
    EXPECT_EQ(slope_of_condition("not (grows <= 3 * fixed)"), Slope::down);
    EXPECT_EQ(slope_of_condition("signed >= grows and fixed < 2"), Slope::up);
}

}  // namespace
}  // namespace pimdse::models::slopes_test
