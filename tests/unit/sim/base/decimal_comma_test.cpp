#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"
#include "tests/unit/refused.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace pimdse::sim::decimal_comma_test {
namespace {

TEST(Commas, of_decimals_become_a_point) {
    EXPECT_EQ(without_commas("250,5 MHz"), "250.5 MHz");
    EXPECT_EQ(without_commas(" -1,25"), "-1.25");
    EXPECT_EQ(without_commas("0,125 s"), "0.125 s");
    EXPECT_EQ(without_commas("1024,125"), "1024.125");
    for (auto const* text :
         {"", "5", "2.5", ",5", "1,", "1, 2", "1,5,6", "a,5", "[1,2]", "1 ns,2 ns", "1e3,5", "1,5.5"})
        EXPECT_EQ(without_commas(text), std::nullopt) << text;
    EXPECT_NE(hint_for_comma("1,5 h").find("\"1.5 h\""), std::string::npos);
    EXPECT_EQ(hint_for_comma("1.5 h"), "");
}

TEST(Commas, of_thousands_are_never_taken_for_a_point) {
    EXPECT_EQ(without_commas("1,024"), "1024");
    EXPECT_EQ(without_commas("+16,384 MHz"), "+16384 MHz");
    EXPECT_EQ(without_commas("1,024,000.5 s"), "1024000.5 s");
    for (auto const* text : {"1,024", "1,024 MHz", "2,000,000", "250,5 MHz", "0,125"}) {
        EXPECT_THAT(refusal_by([&] { (void)parse_quantity(text); }),
                    ::testing::HasSubstr(fmt::format("\"{}\"", *without_commas(text))));
    }
}

}  // namespace
}  // namespace pimdse::sim::decimal_comma_test
