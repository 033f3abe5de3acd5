#include "dse/uncertain/draws.hpp"

#include "sim/base/check.hpp"
#include "tests/unit/refused.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace pimdse::dse::uncertain::draws_test {
namespace {

UncertainConstant uniform(std::string name, double lower, double upper) {
    UncertainConstant constant;
    constant.name = std::move(name);
    constant.lower = lower;
    constant.upper = upper;
    constant.nominal = (lower + upper) / 2.0;
    constant.distribution = Distribution::uniform;
    return constant;
}

std::vector<std::string> allow_all(std::vector<std::size_t> const&, DrawnValues const&) { return {}; }

std::vector<double> column(Draws const& draws, std::size_t constant) {
    std::vector<double> values;
    for (auto const& draw : draws.values) values.push_back(draw[constant]);
    return values;
}

double correlation(std::vector<double> const& a, std::vector<double> const& b) {
    auto const mean = [](auto const& list) {
        return std::accumulate(list.begin(), list.end(), 0.0) / static_cast<double>(list.size());
    };
    double const ma = mean(a), mb = mean(b);
    double ab = 0.0, aa = 0.0, bb = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - ma) * (b[i] - mb);
        aa += (a[i] - ma) * (a[i] - ma);
        bb += (b[i] - mb) * (b[i] - mb);
    }
    return ab / std::sqrt(aa * bb);
}

TEST(Draws, FillRangesEvenly) {
    Uncertainty const uncertainty{{uniform("a.x", 0.0, 1.0), uniform("a.y", 2.0, 4.0)}, {}, 256, 1, {}};
    auto const draws = draws_of(uncertainty, allow_all);
    for (std::size_t c = 0; c < 2; ++c) {
        auto values = column(draws, c);
        std::ranges::sort(values);
        auto const& constant = uncertainty.constants[c];
        for (std::size_t i = 0; i < values.size(); ++i) {
            // A net: one value in each of 256 equal parts.
            double const share = (values[i] - constant.lower) / (constant.upper - constant.lower);
            EXPECT_EQ(static_cast<std::size_t>(share * 256.0), i);
        }
    }
    EXPECT_LT(std::abs(correlation(column(draws, 0), column(draws, 1))), 0.1);
}

TEST(Draws, AMoreNumerousListBeginsWithTheSmallerOne) {
    Uncertainty few{{uniform("a.x", 0.0, 1.0)}, {}, 8, 3, {}}, many = few;
    many.samples = 32;
    auto const a = draws_of(few, allow_all).values, b = draws_of(many, allow_all).values;
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));
}

TEST(Draws, GroupsHaveTheirCorrelation) {
    Uncertainty uncertainty{
        {uniform("a.x", 0.0, 1.0), uniform("a.y", 0.0, 1.0), uniform("a.z", 0.0, 1.0)}, {{{0, 1}, 0.8}}, 4096, 1, {}};
    auto const draws = draws_of(uncertainty, allow_all);
    // Of normal scores 0.8, so of uniform values 6 / pi asin(0.8 / 2).
    double const expected = 6.0 / std::acos(-1.0) * std::asin(0.4);
    EXPECT_NEAR(correlation(column(draws, 0), column(draws, 1)), expected, 0.02);
    EXPECT_NEAR(correlation(column(draws, 0), column(draws, 2)), 0.0, 0.03);
}

TEST(Draws, ArchitecturesAreDrawnAgainAlone) {
    Uncertainty const uncertainty{
        {uniform("a.x", 0.0, 1.0), uniform("b.y", 0.0, 1.0), uniform("technology.t", 0.0, 1.0)}, {}, 64, 1, {}};
    auto const only_small = [](std::vector<std::size_t> const& group, DrawnValues const& values) {
        return group.front() == 0 && values[0] > 0.5 ? std::vector<std::string>{"x is large"}
                                                     : std::vector<std::string>{};
    };
    auto const free = draws_of(uncertainty, allow_all), bound = draws_of(uncertainty, only_small);
    EXPECT_EQ(column(free, 1), column(bound, 1));
    EXPECT_EQ(column(free, 2), column(bound, 2));
    for (double const value : column(bound, 0)) EXPECT_LE(value, 0.5);
    EXPECT_GT(bound.refused, 30U);
    EXPECT_EQ(free.refused, 0U);
}

/// Twenty rules `x <= y` of pairs, which a draw of all constants satisfies once in a million times; and the values of a
/// pair have the distribution of a pair that is drawn alone.
TEST(Draws, OnlyWhatARuleNamesIsDrawnAgain) {
    Uncertainty uncertainty{{}, {}, 512, 1, {}};
    constexpr std::size_t pairs = 20;
    for (std::size_t p = 0; p < pairs; ++p)
        for (auto const* name : {"m.lower", "m.upper"})
            uncertainty.constants.push_back(uniform(fmt::format("{}{}", name, p), 0.0, 1.0));
    auto const ordered = [&](std::vector<std::size_t> const&, DrawnValues const& values) {
        std::vector<std::string> broken;
        for (std::size_t p = 0; p < pairs; ++p)
            if (values[2 * p] > values[2 * p + 1])
                broken.push_back(fmt::format("constant 'lower{0}' violates the rule 'lower{0} <= upper{0}'", p));
        return broken;
    };
    auto const draws = draws_of(uncertainty, ordered);
    EXPECT_LT(draws.refused, 8 * draws.values.size());
    for (std::size_t p = 0; p < pairs; ++p) {
        auto const lower = column(draws, 2 * p), upper = column(draws, 2 * p + 1);
        double sum = 0.0;
        for (std::size_t n = 0; n < lower.size(); ++n) {
            EXPECT_LE(lower[n], upper[n]);
            sum += lower[n];
        }
        EXPECT_NEAR(sum / static_cast<double>(lower.size()), 1.0 / 3.0, 0.05) << p;
        EXPECT_NEAR(correlation(lower, upper), 0.5, 0.15) << p;
    }
}

TEST(Draws, RulesThatRefuseAllAreNamed) {
    Uncertainty const uncertainty{{uniform("a.x", 0.0, 1.0)}, {}, 4, 1, {}};
    auto const refuse = [](auto const&, auto const&) { return std::vector<std::string>{"x is a colour"}; };
    EXPECT_THAT(refusal_by([&] { (void)draws_of(uncertainty, refuse); }), ::testing::HasSubstr("x is a colour"));
}

TEST(UncertainConstant, ValuesFollowTheirDistribution) {
    auto constant = uniform("a.x", 1.0, 4.0);
    EXPECT_DOUBLE_EQ(constant.at(0.5), 2.5);
    constant.distribution = Distribution::log_uniform;
    EXPECT_DOUBLE_EQ(constant.at(0.5), 2.0);
    EXPECT_DOUBLE_EQ(constant.at(0.0), 1.0);
    EXPECT_DOUBLE_EQ(constant.at(1.0), 4.0);
    constant.distribution = Distribution::normal;
    constant.mean = 2.5;
    constant.deviation = 0.5;
    EXPECT_DOUBLE_EQ(constant.at(0.5), 2.5);
    EXPECT_NEAR(constant.at(0.8413447), 3.0, 2e-3);  // the ends cut off 0.27 %
    EXPECT_DOUBLE_EQ(constant.at(1.0), 4.0);
    constant.distribution = Distribution::choices;
    constant.choices = {1.0, 3.0, 4.0};
    EXPECT_EQ(constant.at(0.1), 1.0);
    EXPECT_EQ(constant.at(0.4), 3.0);
    EXPECT_EQ(constant.at(1.0), 4.0);
    constant = uniform("a.x", 1.0, 4.0);
    constant.whole = true;
    EXPECT_EQ(constant.at(0.4), 2.0);
}

}  // namespace
}  // namespace pimdse::dse::uncertain::draws_test
