#include "sim/base/decimal.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>

namespace pimdse::sim::decimal_test {
namespace {

TEST(Decimal, gives_back_every_double) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 20'000; ++i) {
        double const number = std::bit_cast<double>(random());
        if (!std::isfinite(number)) continue;
        EXPECT_EQ(Decimal::shortest(number).nearest(), number);
    }
    for (double const number :
         {0.0, 1.0, 100.0, std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min(), -0.1})
        EXPECT_EQ(Decimal::shortest(number).nearest(), number);
}

/// Against text: what one writes for the sum and the product of whole numbers of hundredths.
TEST(Decimal, adds_and_multiplies_as_on_paper) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 5000; ++i) {
        auto const a = static_cast<std::int64_t>(random() % 2'000'000) - 1'000'000;
        auto const b = static_cast<std::int64_t>(random() % 2'000'000) - 1'000'000;
        auto const written = [](std::int64_t number, int exponent) {
            return std::strtod(fmt::format("{}e{}", number, exponent).c_str(), nullptr);
        };
        auto const x = Decimal::shortest(written(a, -2)), y = Decimal::shortest(written(b, -2));
        EXPECT_EQ(sum(x, y).value().nearest(), written(a + b, -2));
        EXPECT_EQ(product(x, y).value().nearest(), written(a * b, -4));
    }
    EXPECT_NE(0.1 + 0.2, 0.3);
    EXPECT_EQ(sum(Decimal::shortest(0.1), Decimal::shortest(0.2)).value().nearest(), 0.3);
}

TEST(Decimal, says_where_digits_do_not_fit) {
    auto const long_one = Decimal::shortest(1.2345678901234567);
    EXPECT_TRUE(product(long_one, long_one));
    EXPECT_FALSE(product(*product(long_one, long_one), long_one));
    EXPECT_FALSE(sum(Decimal::shortest(1e300), Decimal::shortest(1e-300)));
    EXPECT_EQ(sum(Decimal::shortest(0.0), Decimal::shortest(1e-300)).value().nearest(), 1e-300);
    EXPECT_EQ((Decimal{1, 400}).nearest(), std::numeric_limits<double>::infinity());
    EXPECT_EQ((Decimal{1, -400}).nearest(), 0.0);
}

}  // namespace
}  // namespace pimdse::sim::decimal_test
