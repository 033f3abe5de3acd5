#include "sim/factorial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace pimdse::sim {
namespace {

TEST(Factorial, counts_the_orderings_that_there_are) {
    for (std::size_t n = 0; n <= 7; ++n) {
        std::vector<int> things(n);
        std::iota(things.begin(), things.end(), 0);
        std::uint64_t orderings = 0;
        do ++orderings;
        while (std::next_permutation(things.begin(), things.end()));
        EXPECT_EQ(factorial(n), orderings) << n;
    }
}

TEST(Factorial, refuses_what_64_bits_do_not_hold) {
    EXPECT_EQ(factorial(20), 2'432'902'008'176'640'000U);
    EXPECT_THROW((void)factorial(21), ContractViolation);
}

}  // namespace
}  // namespace pimdse::sim
