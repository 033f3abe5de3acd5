#include "models/contract/parameter_text.hpp"

#include "sim/base/json.hpp"

#include <gtest/gtest.h>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace pimdse::models::value_json_test {
namespace {

using models::Kind;
using models::Value;

models::Parameter of(Kind kind) {
    models::Parameter parameter;
    parameter.name = "p";
    parameter.kind = kind;
    parameter.unit = kind == Kind::quantity ? "ns" : "";
    parameter.choices = {"a", "ü \"quoted\""};
    parameter.items = {"row", "bank", "column"};
    return parameter;
}

TEST(ValueJson, gives_back_every_bit_of_a_quantity_as_text_too) {
    std::mt19937_64 random(6);
    std::vector<double> numbers{0.0,
                                1.0,
                                0.1,
                                1e-9,
                                std::numeric_limits<double>::denorm_min(),
                                std::numeric_limits<double>::max(),
                                -std::numeric_limits<double>::min()};
    while (numbers.size() < 2000) {
        double const any = std::bit_cast<double>(random());
        if (std::isfinite(any)) numbers.push_back(any);
    }
    for (double const number : numbers) {
        auto const text = models::value_json(of(Kind::quantity), Value::quantity(number)).dump();
        auto const back = sim::Json::parse(text);
        ASSERT_EQ(std::bit_cast<std::uint64_t>(back.get<double>()), std::bit_cast<std::uint64_t>(number)) << text;
    }
}

TEST(ValueJson, gives_back_whole_numbers_where_doubles_would_not) {
    for (std::int64_t const number : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{0},
                                      (std::int64_t{1} << 53) + 1, std::numeric_limits<std::int64_t>::max()}) {
        auto const json = models::value_json(of(Kind::integer), Value::integer(number));
        ASSERT_TRUE(json.is_number_integer());
        EXPECT_EQ(sim::Json::parse(json.dump()).get<std::int64_t>(), number);
    }
}

TEST(ValueJson, is_different_for_different_values) {
    std::set<std::string> seen;
    for (std::uint64_t rank = 0; rank < 6; ++rank)
        EXPECT_TRUE(seen.insert(models::value_json(of(Kind::permutation), Value::permutation(rank)).dump()).second);
    for (std::size_t choice = 0; choice < 2; ++choice)
        EXPECT_TRUE(seen.insert(models::value_json(of(Kind::choice), Value::choice(choice)).dump()).second);
    EXPECT_EQ(models::value_json(of(Kind::flag), Value::flag(true)), true);
    EXPECT_EQ(models::value_json(of(Kind::flag), Value::flag(false)), false);
    EXPECT_EQ(models::value_json(of(Kind::choice), Value::choice(1)), "ü \"quoted\"");
}

}  // namespace
}  // namespace pimdse::models::value_json_test
