#include "dse/report/point_json.hpp"

#include "../made_up_space.hpp"
#include "sim/base/json.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::dse::report::point_reader_test {
namespace {

using models::Kind;
using models::Value;
using sim::Json;
using ::testing::HasSubstr;

template <class Read>
std::string refusal(Read const& read) {
    return refusal_by(read, "accepted");
}

/// 3 x 2 x 2 x 2 x 6 points.
space::Space small() {
    return dse::testing::made_up_space({dse::testing::made_up_machine(
        {.rows = {-1, 4, 8}, .depth = {1, 2}, .modes = 2, .clocks = {5e8, 1e9}, .ordered = 3})});
}

TEST(PointReader, takes_what_point_json_says_of_every_point) {
    auto const space = small();
    for (std::uint64_t id = 0; id < space.size(); ++id) {
        auto const said = Json::parse(point_json(space, space::PointId{id}).dump());
        EXPECT_EQ(index_of(read_point(space, said)), id) << said.dump();
    }
}

TEST(PointReader, takes_one_value_however_it_is_written) {
    auto const space = small();
    auto const read = [&](char const* text) { return index_of(read_point(space, Json::parse(text))); };
    auto const order = R"(, "order": "a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t")";
    auto const whole = [&](std::string const& rest) {
        return read(("{\"rows\": 4, \"depth\": 2, " + rest + order + "}").c_str());
    };
    auto const wanted = whole(R"("mode": "wide", "clock": 1e9)");
    EXPECT_EQ(whole(R"("mode": "wide", "clock": "1 GHz")"), wanted);
    EXPECT_EQ(whole(R"("mode": "wide", "clock": "1000 MHz")"), wanted);
    EXPECT_EQ(whole(R"("mode": "wide", "clock": 1000000000)"), wanted);
    auto const reals = "{\"rows\": 4.0, \"depth\": 2e0, \"mode\": \"wide\", \"clock\": 1e9" + std::string(order) + "}";
    EXPECT_EQ(read(reals.c_str()), wanted) << "whole numbers may be floats";
    EXPECT_NE(whole(R"("mode": "wide", "clock": 5e8)"), wanted);
    EXPECT_NE(whole(R"("mode": "plain", "clock": 1e9)"), wanted);
}

// 2^64 - 1 is no -1.
TEST(PointReader, takes_no_number_for_another_one) {
    auto const space = small();
    for (auto const* rows : {"18446744073709551615", "4294967295", "4.5", "true", "null", "[4]", "1e300"}) {
        auto const said = Json::parse(fmt::format(R"({{"rows": {}, "depth": 2, "mode": "wide", "clock": 1e9}})", rows));
        EXPECT_THAT(refusal([&] { return read_point(space, said); }), HasSubstr("rows")) << rows;
        auto parameters = dse::testing::made_up_parameters();
        if (std::string_view(rows) == "4294967295") continue;
        auto const base = models::default_point(parameters);
        EXPECT_THAT(refusal([&] {
                        return read_free_point(parameters, base, {{"rows", Json::parse(rows)}});
                    }),
                    HasSubstr("rows"))
            << rows;
    }
}

TEST(PointReader, says_which_parameter_is_missing_unknown_or_out_of_the_space) {
    auto const space = small();
    auto const said = [&](char const* text) { return refusal([&] { return read_point(space, Json::parse(text)); }); };
    EXPECT_THAT(said("{}"), says("no-value-rows"));
    EXPECT_THAT(said(R"({"rowz": 4})"), says("unknown-parameter-rowz-did"));
    EXPECT_THAT(said(R"({"rows": 5})"), HasSubstr("rows = 5 is not in the space (the nearest value is "));
    EXPECT_THAT(said(R"({"rows": 4, "depth": 2, "mode": "wid"})"), says("unknown-mode-wid-one"));
    EXPECT_EQ(said(R"({"rows": 4, "depth": 2, "mode": "deep"})"), R"(mode = "deep" is not in the space)");
    EXPECT_THAT(said("[1]"), HasSubstr("[1] is not a point"));
    EXPECT_THAT(said(R"({"machine": "made_up"})"), says("unknown-parameter-machine-known"));
}

TEST(PointReader, takes_the_value_that_a_rounded_one_means_and_names_the_nearest_to_another) {
    auto const space = dse::testing::made_up_space({dse::testing::made_up_machine({.clocks = {0.1e9, 0.3e9, 0.7e9}})});
    auto const id = [&](double clock) { return index_of(read_point(space, {{"clock", clock}})); };
    EXPECT_EQ(id(0.1e9), 0U);
    EXPECT_EQ(id((0.1 + 0.2) * 1e9), 1U);
    EXPECT_EQ(id(std::nextafter(0.7e9, 0.0)), 2U);
    EXPECT_THAT(refusal([&] { return read_point(space, {{"clock", 0.31e9}}); }), HasSubstr("0.3 GHz"));
}

/// A parameter with two names, limits, and values that are not built.
models::Parameters odd_parameters() {
    return {{.name = "input",
             .kind = Kind::integer,
             .default_value = Value::integer(4),
             .lower = 1.0,
             .upper = 64.0,
             .aliases = {"prefill"}},
            {.name = "banks",
             .kind = Kind::integer,
             .default_value = Value::integer(2),
             .not_built = {{.choice = "*", .sentence = "the others are for later"}}},
            {.name = "rate",
             .kind = Kind::quantity,
             .unit = "GHz",
             .default_value = Value::quantity(1e9),
             .lower = 1e8,
             .upper = 1e10},
            {.name = "gated", .kind = Kind::flag, .default_value = Value::flag(false)}};
}

std::string of_odd(char const* text) {
    auto parameters = odd_parameters();
    auto const base = models::default_point(parameters);
    return refusal([&] { return read_free_point(parameters, base, Json::parse(text)); });
}

TEST(FreePoint, is_the_base_but_for_what_is_said) {
    auto parameters = odd_parameters();
    auto const base = models::default_point(parameters);
    EXPECT_EQ(read_free_point(parameters, base, Json::object()), base);
    auto wanted = base;
    wanted[0] = Value::integer(7);
    wanted[2] = Value::quantity(5e8);
    wanted[3] = Value::flag(true);
    EXPECT_EQ(read_free_point(parameters, base, Json::parse(R"({"prefill": 7, "rate": "500 MHz", "gated": true})")),
              wanted);
    EXPECT_EQ(read_free_point(parameters, base, Json::parse(R"({"input": "7", "rate": 5e8, "gated": "on"})")), wanted);
}

TEST(FreePoint, keeps_to_the_limits_of_its_parameters_in_numbers_and_in_texts) {
    for (auto const* good : {R"({"input": 1})", R"({"input": 64})", R"({"rate": 1e8})", R"({"rate": "10 GHz"})"})
        EXPECT_EQ(of_odd(good), "accepted") << good;
    for (auto const* wrong :
         {R"({"input": 0})", R"({"input": 65})", R"({"input": "65"})", R"({"input": -1})", R"({"rate": 99999999})",
          R"({"rate": 1.1e10})", R"({"rate": "11 GHz"})", R"({"rate": 0})"})
        EXPECT_THAT(of_odd(wrong), says("out-range")) << wrong;
}

TEST(FreePoint, has_nothing_that_is_not_built_in_numbers_nor_in_texts) {
    EXPECT_EQ(of_odd(R"({"banks": 2})"), "accepted");
    EXPECT_EQ(of_odd(R"({"banks": "2"})"), "accepted");
    EXPECT_EQ(of_odd(R"({"banks": "4"})"), "banks = 4 is not built yet (the others are for later)");
    EXPECT_EQ(of_odd(R"({"banks": 4})"), "banks = 4 is not built yet (the others are for later)");
}

TEST(FreePoint, says_a_parameter_once_under_one_name) {
    EXPECT_THAT(of_odd(R"({"input": 3, "prefill": 5})"), says("input-given-twice"));
}

TEST(PointId, is_a_whole_number_below_the_size_of_the_space) {
    auto const space = small();
    EXPECT_EQ(index_of(read_id(space, "0")), 0U);
    EXPECT_EQ(index_of(read_id(space, Json::parse("143"))), 143U);
    EXPECT_EQ(index_of(read_id(space, Json::parse("143.0"))), 143U);
    EXPECT_EQ(space.size(), 144U);
    for (auto const* wrong : {"144", "\"144\"", "-1", "\"-1\"", "1.5", "\"\"", "\" 1\"", "\"1 \"", "\"0x1\"", "null",
                              "true", "[1]", "18446744073709551616", "\"18446744073709551616\""})
        EXPECT_THAT(refusal([&] { return read_id(space, Json::parse(wrong)); }),
                    HasSubstr(R"(is not an id of the space ("0" to "143"))"))
            << wrong;
}

TEST(PointReader, quotes_the_beginning_of_what_is_long_in_whole_characters) {
    std::string long_text;
    for (int i = 0; i < 100; ++i) long_text += "\u00e4";
    for (std::size_t shift = 0; shift < 2; ++shift) {
        auto const said = sim::Json(std::string(shift, 'x') + long_text);
        auto const why = refusal([&] { return read_point(small(), said); });
        EXPECT_THAT(why, says("point")) << why;
        EXPECT_NO_THROW((void)sim::Json(why).dump()) << why;
    }
}

}  // namespace
}  // namespace pimdse::dse::report::point_reader_test
