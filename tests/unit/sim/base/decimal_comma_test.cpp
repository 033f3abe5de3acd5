#include "sim/base/quantity_text.hpp"

#include <gtest/gtest.h>

namespace pimdse::sim {
namespace {

TEST(DecimalComma, becomes_a_point_behind_the_first_digits_only) {
    EXPECT_EQ(with_decimal_point("250,5 MHz"), "250.5 MHz");
    EXPECT_EQ(with_decimal_point(" -1,25"), "-1.25");
    for (auto const* text : {"", "5", "2.5", ",5", "1,", "1, 2", "1,5,6", "a,5", "[1,2]", "1 ns,2 ns", "1e3,5"})
        EXPECT_EQ(with_decimal_point(text), std::nullopt) << text;
    EXPECT_NE(point_for_comma("1,5 h").find("\"1.5 h\""), std::string::npos);
    EXPECT_EQ(point_for_comma("1.5 h"), "");
}

}  // namespace
}  // namespace pimdse::sim
