#include "dse/cli/phrases.hpp"
#include "sim/base/json.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>

namespace pimdse::dse::cli::results_test {
namespace {

TEST(ErrorSpread, has_a_median_with_as_many_below_as_above) {
    std::mt19937 random(1);
    for (int round = 0; round < 500; ++round) {
        ErrorSpread spread;
        std::vector<double> errors(1 + random() % 20);
        for (auto& error : errors) {
            error = static_cast<double>(random() % 10);
            spread.add(error);
        }
        double const median = spread.median().value();
        auto const below = std::ranges::count_if(errors, [&](double e) { return e < median; });
        auto const above = std::ranges::count_if(errors, [&](double e) { return e > median; });
        auto const half = static_cast<std::ptrdiff_t>(errors.size() / 2);
        EXPECT_LE(below, half);
        EXPECT_LE(above, half);
        EXPECT_EQ(spread.size(), errors.size());
        for (double const error : errors) EXPECT_LE(error, spread.worst().value());
        EXPECT_NE(std::ranges::find(errors, spread.worst().value()), errors.end());
    }
}

TEST(ErrorSpread, of_nothing_is_nothing_and_of_two_is_between_them) {
    ErrorSpread spread;
    EXPECT_FALSE(spread.median());
    EXPECT_FALSE(spread.worst());
    spread.add(3.0);
    EXPECT_EQ(spread.median(), 3.0);
    spread.add(1.0);
    EXPECT_EQ(spread.median(), 2.0);
    spread.add(-8.0);
    EXPECT_EQ(spread.median(), 1.0) << "and what was added later counts";
}

std::string printed(sim::Json const& result, Format format) {
    ::testing::internal::CaptureStdout();
    print_result(result, format);
    return ::testing::internal::GetCapturedStdout();
}

TEST(Results, have_a_line_per_field_with_all_values_in_one_column) {
    sim::Json const result{
        {"cycles", 12}, {"exact", true}, {"energy", {{"total", 0.5}, {"parts", {{"act", 1}}}}}, {"name", "a b"}};
    EXPECT_EQ(printed(result, Format::text),
              "cycles                         12\n"
              "exact                          true\n"
              "energy\n"
              "  total                        0.5\n"
              "  parts\n"
              "    act                        1\n"
              "name                           \"a b\"\n");
    EXPECT_EQ(sim::Json::parse(printed(result, Format::json)), result);
}

TEST(Breakdown, shares_are_of_their_own_total_and_none_is_shown_of_nothing) {
    models::Breakdown breakdown;
    EXPECT_EQ(breakdown_text(breakdown), "");
    breakdown.time = {{"read", 3e-3}, {"write", 1e-3}, {"wait", 0.0}};
    breakdown.energy = {{"all", 0.0}};
    breakdown.area = {{"array", 2e-6}};
    EXPECT_EQ(breakdown_text(breakdown, "chat: "),
              "\nchat: where the time goes\n"
              "  read                                         3 ms   75.0 %\n"
              "  write                                        1 ms   25.0 %\n"
              "\nchat: where the area goes\n"
              "  array                                       2 mm2  100.0 %\n");
}

}  // namespace
}  // namespace pimdse::dse::cli::results_test
