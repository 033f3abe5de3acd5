#include "dse/uncertain/uncertainty_reader.hpp"

#include "models/contract/constants.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/dse/uncertain/uncertain_space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>

namespace pimdse::dse::uncertain::uncertainty_reader_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

UncertainConstant const& named(Uncertainty const& uncertainty, std::string const& name) {
    auto const found = std::ranges::find(uncertainty.constants, name, &UncertainConstant::name);
    if (found == uncertainty.constants.end()) throw std::out_of_range(name);
    return *found;
}

TEST(UncertaintyReader, ReadsEveryKindOfRange) {
    auto const space = testing::small_space(testing::small_text(R"(samples = 3
seed = 7
"dplena.sram_leakage" = { times = 4 }
sram_area_per_bit = { low = "0.02 um2/bit", high = "0.1 um2/bit" }
[uncertain.dplena]
waiting_share = { normal = [0.1, 0.02] }
matrix_tiles = { choices = [8, 2, 4] }
)"));
    auto const uncertainty = *read_uncertainty(space, "small.toml", {});
    EXPECT_EQ(uncertainty.samples, 3U);
    EXPECT_EQ(uncertainty.seed, 7U);
    EXPECT_EQ(uncertainty.constants.size(), 4U);
    auto const& leakage = named(uncertainty, "dplena.sram_leakage");
    EXPECT_DOUBLE_EQ(leakage.upper, 16.0 * leakage.lower);
    EXPECT_EQ(leakage.distribution, Distribution::log_uniform);
    EXPECT_DOUBLE_EQ(named(uncertainty, "dplena.sram_area_per_bit").upper, 0.1e-12 * 8.0);
    EXPECT_NEAR(named(uncertainty, "dplena.waiting_share").lower, 0.04, 1e-12);
    EXPECT_THAT(named(uncertainty, "dplena.matrix_tiles").choices, ElementsAre(2.0, 4.0, 8.0));
    EXPECT_FALSE(named(uncertainty, "dplena.matrix_tiles").whole);
}

TEST(UncertaintyReader, NoSamplesNoDraws) {
    EXPECT_FALSE(read_uncertainty(testing::small_space(), "small.toml", {}).has_value());
    EXPECT_TRUE(read_uncertainty(testing::small_space(), "small.toml", {5, std::nullopt}).has_value());
}

TEST(UncertaintyReader, WithoutATableAssumedConstantsHaveTheirStatedRanges) {
    auto const text = testing::small_text("");
    auto const space = testing::small_space(text.substr(0, text.find("[uncertain]")));
    auto const uncertainty = testing::ranges_of(space, 2);
    auto const constants = models::constants_of(*space.machines()[0].architecture);
    EXPECT_GT(uncertainty.constants.size(), 20U);
    for (auto const& constant : uncertainty.constants) {
        auto const& row = constants.all().find(constant.name.substr(7))->second;
        EXPECT_TRUE(row.assumed) << constant.name;
        EXPECT_LE(constant.lower, constant.nominal);
        EXPECT_GE(constant.upper, constant.nominal);
        EXPECT_TRUE(row.range_lower >= row.range_upper || constant.lower >= row.range_lower) << constant.name;
    }
}

TEST(UncertaintyReader, NamesTakePrecedenceOverPatterns) {
    std::string const widest = tests::in_campaign() ? "*" : "dplena.*";  // each constant that it names takes a while
    auto const space = testing::small_space(testing::small_text("\"" + widest + R"(" = { times = 3 }
"dplena.sram_*" = { times = 2 }
"dplena.sram_leakage" = { times = 5 }
)"));
    auto const uncertainty = testing::ranges_of(space, 2);
    auto const times = [&](std::string const& name) {
        auto const& constant = named(uncertainty, name);
        return constant.upper / constant.nominal;
    };
    EXPECT_NEAR(times("dplena.sram_leakage"), 5.0, 1e-12);
    EXPECT_NEAR(times("dplena.sram_energy_per_bit"), 2.0, 1e-12);
    EXPECT_NEAR(times("dplena.issue_slot_area"), 3.0, 1e-12);
}

TEST(UncertaintyReader, PatternsEndWhereRulesDo) {
    auto const space =
        testing::small_space(testing::small_text("\"dplena.waiting_share\" = { times = 2 }\n"
                                                 "\"dplena.waiting_*\" = { times = 100 }\n"));
    EXPECT_TRUE(testing::ranges_of(space, 2).remarks.empty());
    auto const wide = testing::small_space(testing::small_text("\"dplena.waiting_sh*\" = { times = 100 }\n"));
    auto const uncertainty = testing::ranges_of(wide, 2);
    EXPECT_LE(named(uncertainty, "dplena.waiting_share").upper, 1.0);
    EXPECT_THAT(uncertainty.remarks, ElementsAre(HasSubstr("dplena.waiting_share")));
}

TEST(UncertaintyReader, RefusesWhatCannotBeMeant) {
    EXPECT_THAT(testing::mistakes_in("\"dplena.sram_leakag\" = { times = 2 }\n"),
                ElementsAre(AllOf(HasSubstr("small.toml:10"), HasSubstr("'dplena.sram_leakage'"))));
    EXPECT_THAT(testing::mistakes_in("\"dplena.sram_leakage\" = { low = \"1 pJ\", high = \"2 pJ\" }\n"),
                ElementsAre(AllOf(HasSubstr("small.toml:10"), HasSubstr("an energy"))));
    EXPECT_THAT(testing::mistakes_in("\"dplena.sram_leakage\" = { normal = [\"20 mW/MB\", \"20 mW/MB\"] }\n"),
                ElementsAre(HasSubstr("must be above 0")));
    EXPECT_THAT(testing::mistakes_in("\"dplena.waiting_share\" = { low = 0.05, high = 1.5 }\n"),
                ElementsAre(AllOf(HasSubstr("1.5 is refused"), HasSubstr("waiting_share"))));
    EXPECT_THAT(testing::mistakes_in("\"dplena.waiting_share\" = { low = 0.5, high = 0.8 }\n"),
                ElementsAre(HasSubstr("is not between low and high")));
    EXPECT_THAT(testing::mistakes_in("\"dplena.waiting_share\" = { times = 1 }\n"), ElementsAre(HasSubstr("above 1")));
    EXPECT_THAT(testing::mistakes_in("\"dplena.waiting_share\" = 3\nsamples = -1\n"), ::testing::SizeIs(2));
    EXPECT_THAT(
        testing::mistakes_in("\"dplena.waiting_share\" = { times = 2 }\ncorrelated = [[\"dplena.sram_*\", 0.5]]\n"),
        ElementsAre(HasSubstr("no uncertain constant")));
    EXPECT_THAT(testing::mistakes_in(
                    "\"dplena.w*\" = { times = 2 }\ncorrelated = [[\"dplena.*\", 0.5], [\"dplena.*\", 0.1]]\n"),
                ::testing::Not(::testing::IsEmpty()));
    EXPECT_THAT(testing::mistakes_in("\"x*\" = { times = 2 }\n"), ElementsAre(HasSubstr("no constant")));
}

}  // namespace
}  // namespace pimdse::dse::uncertain::uncertainty_reader_test
