#include "sim/counting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace pimdse::sim {
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
}  // namespace pimdse::sim
