#include "dse/space/columns.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::space::shown_value_test {
namespace {

models::Parameter in(models::Kind kind, std::string const& unit) {
    models::Parameter parameter;
    parameter.kind = kind;
    parameter.unit = unit;
    return parameter;
}

TEST(ShownValue, is_in_the_multiple_that_people_write) {
    auto const quantity = [](std::string const& unit, double si) {
        return shown_value(in(models::Kind::quantity, unit), models::Value::quantity(si));
    };
    EXPECT_EQ(quantity("GHz", 0.45e9), "450 MHz");
    EXPECT_EQ(quantity("GB/s", 1e12), "1 TB/s");
    EXPECT_EQ(quantity("TFLOP/s", 3.5e12), "3.5 TFLOP/s");
    EXPECT_EQ(quantity("ns", 1e-6), "1 us");
    EXPECT_EQ(quantity("pJ/bit", 8 * 3e-12), "3 pJ/bit");
    EXPECT_EQ(quantity("", 0.25), "0.25");
}

TEST(ShownValue, of_bytes_names_whole_multiples_of_1024_only) {
    auto const bytes = [](std::int64_t count) {
        return shown_value(in(models::Kind::integer, "B"), models::Value::integer(count));
    };
    EXPECT_EQ(bytes(8 << 20), "8 MiB");
    EXPECT_EQ(bytes(5000), "5000 B");
    EXPECT_EQ(bytes(512), "512 B");
    EXPECT_EQ(bytes(1536), "1536 B");
    EXPECT_EQ(shown_value(in(models::Kind::integer, "tokens"), models::Value::integer(128)), "128");
}

}  // namespace
}  // namespace pimdse::dse::space::shown_value_test
