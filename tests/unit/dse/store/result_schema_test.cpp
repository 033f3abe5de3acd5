#include "dse/store/result_schema.hpp"

#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::store::schema::result_schema_test {
namespace {

TEST(ResultSchema, turns_units_into_SI) {
    std::vector<std::pair<char const*, char const*>> const cases{
        {"", ""},    {"ns", "s"},   {"GHz", "Hz"},         {"GB/s", "B/s"},      {"KiB", "B"}, {"bit", "B"},
        {"mW", "W"}, {"mm2", "m2"}, {"TFLOP/s", "FLOP/s"}, {"tokens", "tokens"}, {"1", "1"}};
    for (auto const& [unit, si] : cases) {
        EXPECT_EQ(si_unit(unit), si) << unit;
    }
}

TEST(ResultSchema, reads_every_ordering_it_prints) {
    models::Parameter parameter;
    parameter.name = "mapping";
    parameter.items = {"row", "column", "bank", "channel", "rank"};
    for (std::uint64_t rank = 0; rank < 120; ++rank) {
        auto const text = models::print_value(parameter, models::Value::permutation(rank));
        EXPECT_EQ(permutation_rank(parameter, text), rank) << text;
    }
    for (char const* wrong : {"", "row", "row-row-bank-channel-rank", "row-column-bank-channel-rank-row",
                              "row-column-bank-channel-rankx"}) {
        EXPECT_THROW(static_cast<void>(permutation_rank(parameter, wrong)), sim::InputError) << wrong;
    }
}

TEST(ResultSchema, leaves_room_for_the_longest_text) {
    models::Parameter parameter;
    parameter.choices = {"a", "abc"};
    EXPECT_EQ(longest_text(parameter), 3U);
    parameter.items = {"row", "bank"};
    EXPECT_EQ(longest_text(parameter), 8U);
}

TEST(ResultSchema, finds_kinds_and_senses_by_name) {
    for (auto const kind : {models::Kind::integer, models::Kind::quantity, models::Kind::choice, models::Kind::flag,
                            models::Kind::permutation}) {
        EXPECT_EQ(kind_named(name_of(kind)), kind);
    }
    for (auto const sense : {models::Sense::minimize, models::Sense::maximize, models::Sense::none})
        EXPECT_EQ(sense_named(name_of(sense)), sense);
    EXPECT_THROW(static_cast<void>(kind_named("colour")), sim::InputError);
}

}  // namespace
}  // namespace pimdse::dse::store::schema::result_schema_test
