#include "sim/base/counting.hpp"

#include <gtest/gtest.h>
#include <cmath>

namespace pimdse::sim::power_of_two_test {
namespace {

TEST(PowerOfTwo, is_what_the_library_says_for_every_normal_double) {
    for (int exponent = -1022; exponent <= 1023; ++exponent)
        ASSERT_EQ(power_of_two(exponent), std::ldexp(1.0, exponent)) << exponent;
}

TEST(PowerOfTwo, is_none_where_no_normal_double_has_it) {
    EXPECT_THROW((void)power_of_two(-1023), ContractViolation);
    EXPECT_THROW((void)power_of_two(1024), ContractViolation);
}

}  // namespace
}  // namespace pimdse::sim::power_of_two_test
