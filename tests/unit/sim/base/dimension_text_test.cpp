#include "sim/base/quantity_text.hpp"
#include "tests/unit/says.hpp"

#include <gtest/gtest.h>
#include <set>

namespace pimdse::sim::dimension_text_test {
namespace {

/// Every dimension with powers from -2 to 2.
template <class Look>
void each_dimension(Look const& look) {
    for (int code = 0; code < 3125; ++code) {
        auto const power = [&](int place) {
            int rest = code;
            for (; place > 0; --place) rest /= 5;
            return static_cast<std::int8_t>(rest % 5 - 2);
        };
        look(Dimension{power(0), power(1), power(2), power(3), power(4)});
    }
}

TEST(UnitOf, is_read_as_a_unit_of_its_dimension) {
    std::set<std::string> all;
    each_dimension([&](Dimension dimension) {
        auto const unit = unit_of(dimension);
        ASSERT_TRUE(all.insert(unit).second) << unit << " stands for two dimensions";
        if (dimension == Dimension{.second = -1}) return;  // "Hz or 1/s"
        auto const read = parse_unit(unit);
        ASSERT_EQ(read.dimension, dimension) << unit;
        if (dimension != Dimension{.metre = 2}) {
            ASSERT_EQ(read.in_si, 1.0) << unit;
        }
    });
    EXPECT_EQ(unit_of({}), "1");
    EXPECT_EQ(unit_of({.second = -1}), "Hz or 1/s");
    EXPECT_EQ(unit_of({.second = -2, .byte = 1}), "B/s/s");
}

TEST(DimensionName, is_a_word_of_its_own_or_its_unit) {
    std::set<std::string> all;
    each_dimension([&](Dimension dimension) {
        auto const name = dimension_name(dimension);
        ASSERT_TRUE(all.insert(name).second) << name << " stands for two dimensions";
        ASSERT_TRUE(!name.starts_with("quantity in ") || name.ends_with(unit_of(dimension))) << name;
    });
    EXPECT_EQ(dimension_name({.second = -1, .byte = 1}), "bandwidth");
    EXPECT_EQ(dimension_name({.joule = -1}), "quantity in 1/J");
    EXPECT_EQ(a_dimension({.second = 1}), "a time");
    EXPECT_EQ(a_dimension({.joule = 1}), "an energy");
    EXPECT_EQ(a_dimension({.byte = 1}), "data");
    EXPECT_EQ(a_dimension({.operation = 1}), "operations");
    EXPECT_EQ(a_dimension({}), "a plain number");
}

TEST(UnitsDiffer, asks_for_a_unit_only_where_a_number_has_none) {
    Dimension const time{.second = 1}, energy{.joule = 1}, number{};
    EXPECT_THAT(units_differ(time, energy, "compared"), says("time-energy-cannot-compared"));
    EXPECT_THAT(units_differ(time, number, "added"), says("time-plain-number-cannot"));
    EXPECT_THAT(units_differ(number, time, "added"), says("plain-number-time-cannot"));
    // The suggested text is accepted after a number: 3 J * 1 s.
    EXPECT_THAT(units_differ({.second = 1, .joule = 1}, number, "compared"), says("quantity-plain-number-cannot"));
}

}  // namespace
}  // namespace pimdse::sim::dimension_text_test
