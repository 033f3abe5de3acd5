#include "sim/base/number_in.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace pimdse::sim::number_in_test {
namespace {

TEST(NumberIn, reads_back_what_is_printed_and_nothing_with_more_around_it) {
    std::mt19937_64 random(11);
    constexpr std::string_view around = " ,x+%\t\n_";
    for (int i = 0; i < 20'000; ++i) {
        auto const bits = random();
        auto const whole = static_cast<std::int64_t>(bits) >> (bits % 64);
        EXPECT_EQ(number_in<std::int64_t>(fmt::to_string(whole)), whole);
        EXPECT_EQ(number_in<std::uint64_t>(fmt::format("{:x}", bits), 16), bits);
        if (auto const real = std::bit_cast<double>(bits); std::isfinite(real)) {
            auto const text = fmt::format("{}", real);
            EXPECT_EQ(number_in<double>(text), real) << text;
            std::string const mark(1, around[random() % around.size()]);
            EXPECT_FALSE(number_in<double>(text + mark)) << text << mark;
            EXPECT_FALSE(number_in<double>(mark + text)) << mark << text;
        }
        EXPECT_FALSE(number_in<std::int64_t>(fmt::format("{}.", whole))) << "a point is no digit";
    }
}

TEST(NumberIn, refuses_what_does_not_fit_and_no_digits) {
    EXPECT_EQ(number_in<std::uint8_t>("255"), 255);
    EXPECT_FALSE(number_in<std::uint8_t>("256"));
    EXPECT_FALSE(number_in<std::uint32_t>("-1"));
    EXPECT_EQ(number_in<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
    EXPECT_FALSE(number_in<std::int64_t>("9223372036854775808"));
    EXPECT_FALSE(number_in<double>("1e999"));
    for (std::string_view const text : {"", "-", "+1", "e5", "0x10", "1 2"}) EXPECT_FALSE(number_in<double>(text));
    EXPECT_TRUE(std::isinf(number_in<double>("inf").value()));
    EXPECT_TRUE(std::isnan(number_in<double>("nan").value()));
}

}  // namespace
}  // namespace pimdse::sim::number_in_test
