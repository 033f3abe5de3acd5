#include "sim/base/counting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace pimdse::sim::counting_test {
namespace {

TEST(Counting, divides_up_to_the_fewest_parts_that_hold_the_whole) {
    for (std::int64_t whole = 0; whole <= 40; ++whole) {
        for (std::int64_t part = 1; part <= 12; ++part) {
            std::int64_t parts = 0;
            while (parts * part < whole) ++parts;
            EXPECT_EQ(divide_up(whole, part), parts) << whole << " / " << part;
            EXPECT_EQ(round_up(whole, part), parts * part) << whole << " to " << part;
        }
    }
}

TEST(Counting, divides_the_largest_count_too) {
    constexpr auto max = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(divide_up(max, 1), max);
    EXPECT_EQ(divide_up(max, 2), max / 2 + 1);
    EXPECT_EQ(divide_up(max, max), 1);
}

TEST(Counting, converts_doubles_that_are_whole_and_in_range_only) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(exact_whole(-0x1p63), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(exact_whole(0x1p62), std::int64_t{1} << 62);
    EXPECT_EQ(exact_whole<int>(2147483647.0), 2147483647);
    EXPECT_EQ(exact_whole<std::uint64_t>(0x1p63), std::uint64_t{1} << 63);
    for (double const wrong : {0.5, 0x1p63, -0x1p64, 1e308, infinite, -infinite, std::nan("")})
        EXPECT_FALSE(exact_whole(wrong)) << wrong;
    EXPECT_FALSE(exact_whole<int>(2147483648.0));
    EXPECT_FALSE(exact_whole<std::uint64_t>(-1.0));
}

TEST(Counting, takes_the_whole_part_or_says_that_there_is_none) {
    EXPECT_EQ(whole_part(2.9), 2);
    EXPECT_EQ(whole_part(-2.9), -2);
    for (double const wrong : {0x1p63, 1e308, std::nan("")}) EXPECT_THROW((void)whole_part(wrong), InputError) << wrong;
}

TEST(Counting, counts_the_orderings_that_there_are) {
    for (std::size_t n = 0; n <= 7; ++n) {
        std::vector<int> things(n);
        std::iota(things.begin(), things.end(), 0);
        std::uint64_t orderings = 0;
        do ++orderings;
        while (std::next_permutation(things.begin(), things.end()));
        EXPECT_EQ(factorial(n), orderings) << n;
    }
}

TEST(Counting, refuses_what_64_bits_do_not_hold) {
    EXPECT_EQ(factorial(20), 2'432'902'008'176'640'000U);
    EXPECT_THROW((void)factorial(21), ContractViolation);
}

}  // namespace
}  // namespace pimdse::sim::counting_test
